"""Breaks in how an observable is judged from what was run."""

from __future__ import annotations

from .breaks import Break, Edit

REPLAY = "observables/replay.py"
PAIRS = "pairs = [(ours, int(theirs)) for ours, theirs in enumerate(evidence.minibatch)]"
LOSSES = "if a.array.ndim and not (a.depends | b.depends) & excused:"

JUDGING = (
    Break(
        "draws are not compared",
        (
            Edit(
                REPLAY,
                "new = missing(later, earlier, pairs, later.reaching(losses=True))",
                "new = []",
            ),
            Edit(
                REPLAY,
                "lost = missing(earlier, later, back, earlier.reaching(losses=True))",
                "lost = []",
            ),
        ),
        ("faults::exactly_these_observables_break[NumPy's generator, hardly heard]",),
    ),
    Break(
        "the rollout's draws are not looked for in the replay",
        (
            Edit(
                REPLAY,
                "lost = missing(earlier, later, back, earlier.reaching(losses=True))",
                "lost = []",
            ),
        ),
        ("samplers::noise_that_only_the_rollout_has_is_missed_in_the_replay",),
    ),
    Break(
        "draws that reach only the loss are not compared",
        (
            Edit(REPLAY, "later.reaching(losses=True))", "later.reaching(losses=False))"),
            Edit(REPLAY, "earlier.reaching(losses=True))", "earlier.reaching(losses=False))"),
        ),
        ("samplers::noise_in_the_loss_is_only_a_samplers_right",),
    ),
    Break(
        "another environment's draw will do",
        (
            Edit(
                "matching.py",
                "reading[theirs] in self.parts.get((draw.step, ours), ())",
                "any(reading[theirs] in rows for (step, _), rows in self.parts.items() if step == draw.step)",
            ),
        ),
        ("passes::another_environments_noise_is_seen_though_it_is_hardly_heard",),
    ),
    Break(
        "results are not compared",
        (
            Edit(
                REPLAY,
                "figures, excess = worst(_differences(evidence, bits))",
                "figures, excess = worst(_differences(evidence, bits))[0], False",
            ),
        ),
        ("faults::exactly_these_observables_break[a mean over the batch]",),
    ),
    Break(
        "losses are not compared",
        (Edit(REPLAY, LOSSES, "if a.array.size < 0:"),),
        ("passes::a_loss_that_is_a_mean_over_the_batch_does_not_replay",),
    ),
    Break(
        "only the first step is compared",
        (
            Edit(
                REPLAY,
                "bits = union(draw.bit for draw in excused)\n    wrong = [draw for draw in (*new, *lost) if not draw.bit & bits]",
                "bits = union(draw.bit for draw in excused)\n    wrong = [draw for draw in (*new, *lost) if not draw.bit & bits and not draw.step]",
            ),
            Edit(
                REPLAY,
                "over = [item for item in found if item[1]]",
                "found = [item for item in found if not item[0].step]\n    over = [item for item in found if item[1]]",
            ),
        ),
        (
            "passes::noise_that_only_the_last_step_has_is_compared",
            "passes::a_result_that_only_the_last_step_has_is_compared",
        ),
    ),
    Break(
        "the last step is not compared",
        (
            Edit(
                REPLAY,
                "wrong = [draw for draw in (*new, *lost) if not draw.bit & bits]",
                "wrong = [draw for draw in (*new, *lost) if not draw.bit & bits and draw.step < len(later.steps) - 1]",
            ),
            Edit(
                REPLAY,
                "over = [item for item in found if item[1]]",
                "found = [item for item in found if item[0].step != len(evidence.replay.steps) - 1]\n    over = [item for item in found if item[1]]",
            ),
        ),
        (
            "passes::noise_that_only_the_last_step_has_is_compared",
            "passes::a_result_that_only_the_last_step_has_is_compared",
        ),
    ),
    Break(
        "the tolerance is huge",
        (
            Edit(
                "compare.py",
                "return np.asarray(factor * own",
                "return np.asarray(1e6 * factor * own",
            ),
        ),
        ("faults::exactly_these_observables_break[a mean over the batch]",),
    ),
    Break(
        "the tolerance is a hundred times too large",
        (
            Edit(
                "compare.py",
                "return np.asarray(factor * own",
                "return np.asarray(100 * factor * own",
            ),
        ),
        ("structures::rounding_hides_no_dependence_on_the_batch[a small part]",),
    ),
    Break(
        "a NaN differs from nothing",
        (
            Edit(
                "compare.py",
                "np.where(np.isnan(apart), np.inf, apart)",
                "np.where(np.isnan(apart), 0.0, apart)",
            ),
        ),
        ("compare::a_nan_and_a_number_differ[=]",),
    ),
    Break(
        "results that cannot be compared are equal",
        (Edit("compare.py", 'return float("inf"), None, True', "return 0.0, None, False"),),
        ("compare::results_of_other_shapes_differ_infinitely[=]",),
    ),
    Break(
        "written state that the output depends on is let pass",
        (Edit(REPLAY, "written = output & evidence.moving", "written = 0"),),
        ("faults::exactly_these_observables_break[a counter, hardly heard]",),
    ),
    Break(
        "every class that emits is excused",
        (Edit("evidence.py", "return self.emitting - drawing", "return self.emitting"),),
        ("samplers::one_class_may_sample_and_draw_carried_noise[1e-09]",),
    ),
    Break(
        "no class is excused",
        (Edit("evidence.py", "return self.emitting - drawing", "return frozenset()"),),
        ("samplers::a_sampler_alone[with an entropy estimate]",),
    ),
    Break(
        "parameters stay for the lock",
        (
            Edit(
                "checking.py",
                "Value(_moved(value.array, generator, sign), value.depends)",
                "value",
            ),
        ),
        ("samplers::a_sampler_behind_a_layer[ignores its extras, with carried keys]",),
    ),
    Break(
        "parameters are changed once",
        (Edit("checking.py", "LOCK_ATTEMPTS = 4", "LOCK_ATTEMPTS = 1"),),
        ("passes::an_action_that_one_change_of_the_parameters_leaves_is_tried_with_others",),
    ),
    Break(
        "observations stay for the lock",
        (
            Edit(
                "checking.py",
                "jax.tree.map(lambda leaf: _moved(leaf, generator, sign), self.obs), INPUT",
                "self.obs, INPUT",
            ),
        ),
        ("samplers::a_sampler_alone[emits nothing, with carried keys]",),
    ),
    Break(
        "the action of the replay is not compared with the rollout's",
        (
            Edit(
                "observables/lock.py",
                "            if over:\n",
                "            if over and over is None:\n",
            ),
        ),
        ("passes::an_action_that_is_noise_alone_must_be_the_rollouts",),
    ),
    Break(
        "the stream is excused without a lock",
        (
            Edit(
                "observables/purity.py",
                "if not (locked and _is_excused(evidence, index))",
                "if not _is_excused(evidence, index)",
            ),
        ),
        ("passes::a_sampler_whose_stored_action_is_moved_may_not_write_its_stream",),
    ),
    Break(
        "all random state is excused",
        (
            Edit(
                "observables/purity.py",
                "        if not all(exempt.intersection(scopes) for scopes in writers):\n            return False\n",
                "",
            ),
        ),
        ("samplers::a_shared_stream_is_not_excused_for_the_other_user",),
    ),
    Break(
        "purity looks at the replay only",
        (
            Edit(
                "observables/purity.py",
                "for run in (evidence.rollout, evidence.replay)",
                "for run in (evidence.replay,)",
            ),
        ),
        ("passes::state_that_only_the_rollout_writes_is_seen",),
    ),
    Break(
        "purity looks at the rollout only",
        (
            Edit(
                "observables/purity.py",
                "for run in (evidence.rollout, evidence.replay)",
                "for run in (evidence.rollout,)",
            ),
        ),
        ("passes::state_that_only_the_replay_writes_is_seen",),
    ),
    Break(
        "attributes that change are not noted",
        (Edit("subject.py", 'notes.append(f"attribute `{name}` changed")', "pass"),),
        ("faults::an_attribute_that_changes_is_seen",),
    ),
    Break(
        "the run for freshness has other inputs at every step",
        (
            Edit(
                "inputs.py",
                "return np.broadcast_to(np.asarray(leaf)[:1, :1], (steps, *leaf.shape[1:]))",
                "plain = np.resize(np.asarray(leaf), (steps, *leaf.shape[1:]))\n        return plain + np.arange(steps).reshape(-1, *(1,) * (leaf.ndim - 1)).astype(leaf.dtype)",
            ),
        ),
        ("noise::noise_that_is_a_function_of_the_observation_is_not_the_modules[]",),
    ),
    Break(
        "no episode ends in the run for freshness",
        (Edit("checking.py", "ends[list(ENDS)] = True", "ends[list(ENDS)] = False"),),
        ("noise::what_the_carry_holds_decides[a counter that a reset sets back]",),
    ),
    Break(
        "one episode ends in the run for freshness",
        (Edit("evidence.py", "ENDS = (3, 5)", "ENDS = (3, 3)"),),
        ("noise::what_the_carry_holds_decides[keys that every reset makes of the same ones]",),
    ),
    Break(
        "freshness looks at neighbouring steps only",
        (
            Edit(
                "observables/noise.py",
                "and pair.first.draw.step != pair.again.draw.step",
                "and pair.first.draw.step + 1 == pair.again.draw.step",
            ),
        ),
        ("noise::what_the_carry_holds_decides[a counter that a reset sets back]",),
    ),
    Break(
        "independence looks at one step at a time",
        (
            Edit(
                "observables/noise.py",
                "if pair.first.env != pair.again.env)",
                "if pair.first.env != pair.again.env and pair.first.draw.step == pair.again.draw.step)",
            ),
        ),
        ("noise::what_the_carry_holds_decides[counters that overlap]",),
    ),
    Break(
        "independence does not compare rows",
        (Edit("observables/independence.py", "found = along_batch(rows)", "found = None"),),
        ("noise::what_the_carry_holds_decides[copies of one key]",),
    ),
    Break(
        "one draw for all is let pass",
        (
            Edit(
                "observables/independence.py",
                "whole = next((row for row in rows if row.env is None), None)",
                "whole = None",
            ),
        ),
        ("noise::a_shared_draw_of_the_batchs_own_size_is_told_apart",),
    ),
    Break(
        "noise that is lent is let pass",
        (Edit("observables/independence.py", "lent = _lent(evidence)", "lent = None"),),
        ("noise::one_row_of_noise_from_the_first_key_is_no_loop",),
    ),
    Break(
        "equal outputs of different draws are let pass",
        (Edit("observables/independence.py", "leaf = _shared_output(evidence)", "leaf = None"),),
        ("faults::exactly_these_observables_break[the first environment's noise for all]",),
    ),
    Break(
        "the checker of keys is off",
        (
            Edit(
                "observables/hygiene.py",
                "with jax.debug_key_reuse(True):",
                "with jax.debug_key_reuse(False):",
            ),
        ),
        ("noise::what_the_carry_holds_decides[a key that is not advanced]",),
    ),
    Break(
        "the checker of keys sees one step",
        (Edit("checking.py", "for step in (0, self.steps - 1, 0)]", "for step in (0,)]"),),
        ("noise::what_the_carry_holds_decides[a key that is not advanced]",),
    ),
    Break(
        "the checker of keys sees no reset",
        (Edit("observables/hygiene.py", "RESET_AFTER = 1", "RESET_AFTER = -1"),),
        ("passes::a_key_that_a_reset_uses_and_gives_back_is_used_twice",),
    ),
    Break(
        "the checker of keys is believed",
        (
            Edit(
                "observables/hygiene.py",
                "if not stage.eager and not _is_confirmed(stage, *begin, observations):",
                "if stage.phases is None:",
            ),
        ),
        ("transforms::carried_keys_are_seen_through[cond]",),
    ),
    Break(
        "lockstep compares the rollout with itself",
        (
            Edit(
                "observables/lockstep.py",
                "for run in (evidence.rollout, evidence.replay)]",
                "for run in (evidence.rollout, evidence.rollout)]",
            ),
        ),
        ("samplers::a_sampler_alone[draws only in the rollout]",),
    ),
    Break(
        "a trace's errors are not said",
        (
            Edit(
                "phases.py", 'faults.append(f"{phase.name} raises {describe(phase.error)}")', "pass"
            ),
        ),
        ("faults::python_that_needs_a_number_breaks_the_trace_only",),
    ),
    Break(
        "a carry that changes is let pass",
        (
            Edit(
                "phases.py",
                'faults += _mismatches(phase.name, expected, phase.shapes["carry"])',
                "pass",
            ),
        ),
        ("resets::a_carry_that_grows_breaks_the_trace",),
    ),
)
