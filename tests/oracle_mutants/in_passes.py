"""Breaks in how the passes are run: rollout, replay, reset, draws and what is noted of them."""

from __future__ import annotations

from .breaks import Break, Edit

REPLAY_TAKES = 'carry = again["carry"]\n        else:'
ROLLOUT_TAKES = """carry = where(ended, again["carry"], out["carry"])
        steps.append(_step(state, after, out, again["carry"], carry))
        state = stage.marked(again["state"])
    draws = tuple(recorder.draws)
    counts = recorder.roundings, recorder.collisions
    return Pass(done.shape[1],"""
LATER = "arguments = (state, carry, take(_at(stage, obs, number), minibatch), *given)"
FULL_BATCH = Edit(
    "checking.py",
    "batch_size, size, tolerance).results()",
    "batch_size, batch_size, tolerance).results()",
)
NOT_PERMUTED = Edit(
    "inputs.py",
    "return min(parts, key=lambda part: _in_place(part, envs))",
    "return np.arange(size)",
)

PASSES = (
    Break(
        "the replay skips the reset",
        (Edit("passes.py", REPLAY_TAKES, 'carry = out["carry"]\n        else:'),),
        ("noise::what_the_carry_holds_decides[keys that a reset folds]",),
    ),
    Break(
        "the rollout skips the reset",
        (
            Edit(
                "passes.py",
                ROLLOUT_TAKES,
                ROLLOUT_TAKES.replace("where(ended, again", "where(0 * ended, again"),
            ),
        ),
        ("noise::what_the_carry_holds_decides[keys that a reset folds]",),
    ),
    Break(
        "no pass resets",
        (
            Edit("passes.py", REPLAY_TAKES, 'carry = out["carry"]\n        else:'),
            Edit(
                "passes.py",
                ROLLOUT_TAKES,
                ROLLOUT_TAKES.replace("where(ended, again", "where(0 * ended, again"),
            ),
        ),
        ("noise::what_the_carry_holds_decides[a counter that a reset sets back]",),
    ),
    Break(
        "every environment is reset at every step",
        (
            Edit(
                "passes.py",
                ROLLOUT_TAKES,
                ROLLOUT_TAKES.replace("where(ended, again", "where(ended | True, again"),
            ),
        ),
        ("noise::what_the_carry_holds_decides[keys that a reset folds]",),
    ),
    Break(
        "keys that a reset made are not put back",
        (Edit("passes.py", "return recorded if is_key(now) else now", "return now"),),
        ("resets::a_reset_from_a_stream_breaks_the_trace_and_replays_with_recorded_keys",),
    ),
    Break(
        "all that a reset made is put back",
        (Edit("passes.py", "return recorded if is_key(now) else now", "return recorded"),),
        ("passes::what_a_reset_makes_of_the_whole_batch_is_not_put_back_with_its_keys",),
    ),
    Break(
        "every step gets the same carry",
        (
            Edit(
                "passes.py",
                "arguments = (state, carry, _at(stage, obs, number))",
                "first = carry if not number else first\n        arguments = (state, first, _at(stage, obs, number))",
            ),
            Edit(
                "passes.py",
                LATER,
                "first = carry if not number else first\n        "
                + LATER.replace("(state, carry,", "(state, first,"),
            ),
        ),
        ("faults::nothing_is_broken[one key for each environment]",),
    ),
    Break(
        "the replay starts with the carry of the rollout's end",
        (
            Edit(
                "checking.py",
                "later = run_replay(stage, after, carry, self.obs",
                "later = run_replay(stage, after, before.steps[-1].carry, self.obs",
            ),
        ),
        ("faults::nothing_is_broken[one key for each environment]",),
    ),
    Break(
        "the replay starts with the keys of the rollout's start",
        (
            Edit(
                "checking.py",
                "after = stage.marked([Value(value.array) for value in before.state])",
                "after = state",
            ),
        ),
        ("faults::exactly_these_observables_break[noise in the weights]",),
    ),
    Break(
        "the replay takes the full batch",
        (FULL_BATCH, NOT_PERMUTED),
        ("faults::exactly_these_observables_break[a constant key]",),
    ),
    Break(
        "the replay takes the full batch, permuted",
        (FULL_BATCH,),
        ("faults::exactly_these_observables_break[a mean over the batch]",),
    ),
    Break(
        "the minibatch is the head of the batch",
        (NOT_PERMUTED,),
        ("faults::exactly_these_observables_break[a constant key]",),
    ),
    Break(
        "extras are not given back",
        (
            Edit(
                "passes.py",
                "out = phases.replay.run(recorder, *arguments, eager",
                "out = phases.bootstrap.run(recorder, *arguments[:3], eager",
            ),
        ),
        ("samplers::a_sampler_alone[sound]",),
    ),
    Break(
        "extras come from the first step",
        (
            Edit(
                "passes.py",
                "extras = before.steps[number].extras",
                "extras = before.steps[0].extras",
            ),
        ),
        ("samplers::a_sampler_alone[sound]",),
    ),
    Break(
        "extras are those of other environments",
        (
            Edit(
                "passes.py",
                "_stored(stage, take(extras, minibatch))",
                "_stored(stage, take(extras, np.arange(len(minibatch))))",
            ),
        ),
        ("samplers::a_sampler_alone[sound]",),
    ),
    Break(
        "extras are taken for draws of the replay",
        (
            Edit(
                "passes.py",
                "Value(value.array, value.depends & ~marks | CARRIED)",
                "Value(value.array, CARRIED)",
            ),
        ),
        ("samplers::noise_that_comes_back_as_extras_replays",),
    ),
    Break(
        "observations are those of other environments",
        (
            Edit(
                "passes.py",
                "take(_at(stage, obs, number), minibatch)",
                "take(_at(stage, obs, number), np.arange(len(minibatch)))",
            ),
        ),
        ("faults::nothing_is_broken[through a layer]",),
    ),
    Break(
        "both halves of a split key are one",
        (
            Edit(
                "threefry.py",
                "return as_keys(np.stack(_stream(keys, shape), axis=-1))",
                "made = as_keys(np.stack(_stream(keys, shape), axis=-1))\n    return np.broadcast_to(made[..., :1], made.shape)",
            ),
        ),
        ("faults::nothing_is_broken[one key for each environment]",),
    ),
    Break(
        "a key's draws do not depend on it",
        (
            Edit(
                "threefry.py",
                "    high, low = _stream(keys, shape)",
                "    high, low = _stream(as_keys(np.zeros_like(as_words(keys))), shape)",
            ),
        ),
        ("faults::nothing_is_broken[one key for each environment]",),
    ),
    Break(
        "what a loop draws in all turns has the keys of the first",
        (
            Edit(
                "interpret.py",
                "slices = [Value(x.array[turn], x.depends) for x in inputs]",
                "slices = [Value(x.array[0], x.depends) for x in inputs]",
            ),
        ),
        ("noise::a_loop_over_the_environments_draws_for_one_at_a_time[scan]",),
    ),
    Break(
        "the host's noise is taken for a constant",
        (Edit("phases.py", "            if twice:\n", "            if twice and not jaxpr:\n"),),
        ("faults::exactly_these_observables_break[NumPy's generator]",),
    ),
    Break(
        "a callback is asked once",
        (
            Edit(
                "interpret.py",
                "again = _compute(equation, [operand.array for operand in operands])",
                "again = arrays",
            ),
        ),
        ("noise::noise_from_a_callback_is_the_hosts",),
    ),
    Break(
        "the loss resets the whole minibatch",
        (
            Edit(
                "phases.py",
                "carry = jax.vmap(one)(done, carry)",
                "carry = module.reset_state(carry)",
            ),
        ),
        ("resets::a_reset_from_a_stream_breaks_the_trace_and_replays_with_recorded_keys",),
    ),
    Break(
        "the value after the last step is not asked for",
        (
            Edit(
                "phases.py",
                "for phase in (call, reset, replay, replay_reset, bootstrap):",
                "for phase in (call, reset, replay, replay_reset):",
            ),
        ),
        ("passes::a_minibatch_must_run_without_extras_too",),
    ),
    Break(
        "the module is left as the passes leave it",
        (Edit("checking.py", "nnx.update(module, jax.tree.unflatten(tree, leaves))", "pass"),),
        ("faults::a_captured_stream_breaks_the_trace_and_is_left_as_it_was",),
    ),
    Break(
        "a step's state before it is the one after it",
        (Edit("passes.py", "return Step(before, after, out", "return Step(after, after, out"),),
        ("faults::exactly_these_observables_break[a class-level stream]",),
    ),
)
