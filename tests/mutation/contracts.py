"""What samplers and containers can do wrong with `rollout_extras` and with their children."""

from __future__ import annotations

Changes = tuple[tuple[str, str], ...]
Faults = dict[str, tuple[Changes, str]]

PPO_SAMPLER: Faults = {
    "no extras": ((("rollout_extras=raw_action,", "rollout_extras=None,"),), "NNX301 NNX101"),
    "extras left out": ((("            rollout_extras=raw_action,\n", ""),), "NNX301 NNX101"),
    "extras ignored": (
        (("raw_action = rollout_extras", "raw_action = jax.lax.stop_gradient(sampled_action)"),),
        "NNX302 NNX101",
    ),
    "the mean in the extras": (
        (("rollout_extras=raw_action,", "rollout_extras=mean,"),),
        "NNX301 NNX101",
    ),
    "the action moved by the parameters": (
        (("raw_action = rollout_extras", "raw_action = rollout_extras + mean"),),
        "NNX302",
    ),
    "no draw in the replay": (
        (("if self.deterministic:", "if self.deterministic or rollout_extras is not None:"),),
        "NNX403",
    ),
    "drawn again from a carried key": (
        (
            (
                "mean + std * jax.random.normal(self.rng(), mean.shape)",
                "mean + std * jax.vmap(lambda k: jax.random.normal("
                "jax.random.split(k)[0], mean.shape[1:]))(state)",
            ),
            ("raw_action = rollout_extras", "raw_action = jax.lax.stop_gradient(sampled_action)"),
            ("next_state=()", "next_state=jax.vmap(lambda k: jax.random.split(k)[1])(state)"),
            ("return ()", "return jax.random.split(self.rng(), batch_size)"),
        ),
        "NNX302",
    ),
}

REF_SAMPLER: Faults = {
    "no extras": ((("rollout_extras=raw_action,", "rollout_extras=None,"),), "NNX301 NNX101"),
    "extras left out": ((("            rollout_extras=raw_action,\n", ""),), "NNX301 NNX101"),
    "extras ignored": (((" if rollout_extras is None else rollout_extras", ""),), "NNX302 NNX101"),
    "the mean in the extras": (
        (("rollout_extras=raw_action,", "rollout_extras=mean,"),),
        "NNX301 NNX101",
    ),
    "no draw in the replay": (
        (
            (
                "if self.deterministic else",
                "if self.deterministic or rollout_extras is not None else",
            ),
        ),
        "NNX403",
    ),
}

PPO_SEQUENTIAL: Faults = {
    "a child without its extras": (
        (("layer(layer_state, x, layer_extras)", "layer(layer_state, x)"),),
        "NNX303",
    ),
    "a child with None": (
        (("layer(layer_state, x, layer_extras)", "layer(layer_state, x, None)"),),
        "NNX303",
    ),
    "the children's extras dropped": ((("metrics, new_extras\n", "metrics\n"),), "NNX303"),
    "a child's next state dropped": (
        (("append(layer_output.next_state)", "append(layer_state)"),),
        "NNX205",
    ),
    "all next states dropped": (
        (("            new_network_state, x,", "            network_state, x,"),),
        "NNX205",
    ),
}

PPO_NAMED: Faults = {
    "a child without its extras": (((", child_extras)", ")"),), "NNX303"),
    "the children's extras dropped": (
        (("metrics, new_extras\n", "metrics\n"),),
        "NNX303",
    ),
    "a child's next state dropped": (
        (("new_state[key] = out.next_state", "new_state[key] = state[key]"),),
        "NNX205",
    ),
}

PPO_ADAPTER: Faults = {
    "a child without its extras": ((("x, a_re)", "x)"),), "NNX303"),
    "the other child without its extras": ((("x, v_re)", "x)"),), "NNX303"),
    "a child's extras dropped": (
        (('"action": a_out.rollout_extras', '"action": None'),),
        "NNX303",
    ),
    "the children's extras dropped": (
        (
            (
                'rollout_extras={\n                "action": a_out.rollout_extras,\n'
                '                "value": v_out.rollout_extras,\n            },\n',
                "",
            ),
        ),
        "NNX303",
    ),
    "a child's next state dropped": (
        (('"action": a_out.next_state', '"action": state["action"]'),),
        "NNX205",
    ),
    "the other child's next state dropped": (
        (('"value": v_out.next_state', '"value": state["value"]'),),
        "NNX205",
    ),
    "all next states dropped": (
        (
            (
                'next_state={\n                "action": a_out.next_state,\n'
                '                "value": v_out.next_state,\n            },',
                "next_state=state,",
            ),
        ),
        "NNX205",
    ),
}

REF_SEQUENTIAL: Faults = {
    "a child without its extras": (
        (("x, None if rollout_extras is None else rollout_extras[index])", "x)"),),
        "NNX303",
    ),
    "the children's extras dropped": (((", metrics, extras)", ", metrics)"),), "NNX303"),
    "a child's next state dropped": (
        (("next_state.append(out.next_state)", "next_state.append(state)"),),
        "NNX205",
    ),
}

REF_ADAPTER: Faults = {
    "a child without its extras": (((', x, extras["action"])', ", x)"),), "NNX303"),
    "the other child without its extras": (((', x, extras["value"])', ", x)"),), "NNX303"),
    "a child's extras dropped": (
        (('{"action": action.rollout_extras,', '{"action": None,'),),
        "NNX303",
    ),
    "a child's next state dropped": (
        (('{"action": action.next_state,', '{"action": state["action"],'),),
        "NNX205",
    ),
    "all next states dropped": (
        (
            (
                'next_state={"action": action.next_state, "value": value.next_state},',
                "next_state=state,",
            ),
        ),
        "NNX205",
    ),
}
