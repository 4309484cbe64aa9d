"""Draws that are emitted, but that the replay does not get back."""

from __future__ import annotations

import pytest
from support import marked, reported

from .regressions import written_out

CASES = {
    "used but not emitted": """
        self.rngs = rngs
        ---
        n = self.rngs.normal(x.shape) if rollout_extras is None else rollout_extras  # NNX101
        return Out(state, x + n, 0.0, {})
    """,
    "something else emitted": """
        self.rngs = rngs
        ---
        n = self.rngs.normal(x.shape) if rollout_extras is None else rollout_extras  # NNX101
        return Out(state, x + n, 0.0, {}, x)
    """,
    "emitted but not used": """
        self.rngs = rngs
        ---
        n = self.rngs.normal(x.shape)  # NNX101
        return Out(state, x + n, 0.0, {}, n)
    """,
    "emitted and mixed with a new draw": """
        self.rngs = rngs
        ---
        n = self.rngs.normal(x.shape)  # NNX101
        if rollout_extras is not None:
            n = n + 0 * rollout_extras
        return Out(state, x + n, 0.0, {}, n)
    """,
    "drawn in the replay alone": """
        self.rngs = rngs
        ---
        n = self.rngs.normal(x.shape) if rollout_extras is not None else 0.0  # NNX101
        return Out(state, x + n, 0.0, {}, n)
    """,
    "half of it emitted": """
        self.rngs = rngs
        ---
        a, b = self.rngs.normal(x.shape), self.rngs.a.normal(x.shape)  # NNX101
        if rollout_extras is not None:
            a = rollout_extras
        return Out(state, x + a + b, 0.0, {}, a)
    """,
    "used under a flag": """
        self.rngs = rngs
        self.training = True
        ---
        if self.training and rollout_extras is not None:
            n = rollout_extras
        else:
            n = self.rngs.normal(x.shape)  # NNX101
        return Out(state, x + n, 0.0, {}, n)
    """,
    "used under a test of its content": """
        self.rngs = rngs
        ---
        if rollout_extras is not None and rollout_extras.sum() > 0:
            n = rollout_extras
        else:
            n = self.rngs.normal(x.shape)  # NNX101
        return Out(state, x + n, 0.0, {}, n)
    """,
    "in the loss beside": """
        self.rngs = rngs
        ---
        n = self.rngs.normal(x.shape) if rollout_extras is None else rollout_extras
        m = self.rngs.b.normal(x.shape)  # NNX101
        return Out(state, x + n, jnp.mean(m), {}, n)
    """,
    "in the state beside": """
        self.rngs = rngs
        ---
        n = self.rngs.normal(x.shape) if rollout_extras is None else rollout_extras
        m = self.rngs.b.normal(x.shape)  # NNX101
        return Out(m, x + n, 0.0, {}, n)
    """,
    "in a sampler's output beside": """
        # ActionSampler
        self.rngs = rngs
        ---
        mean, std = jnp.split(x, 2, -1)
        raw = mean + self.rngs.normal(mean.shape)
        if rollout_extras is not None:
            raw = rollout_extras
        j = self.rngs.jit.normal(mean.shape)  # NNX101
        return Out((), {'a': raw, 'll': raw + j}, 0.0, {}, raw)
    """,
    "in a sampler's state beside": """
        # ActionSampler
        self.rngs = rngs
        ---
        mean, std = jnp.split(x, 2, -1)
        raw = mean + self.rngs.normal(mean.shape)
        if rollout_extras is not None:
            raw = rollout_extras
        j = self.rngs.jit.normal(mean.shape)  # NNX101
        return Out(j, raw, 0.0, {}, raw)
    """,
    "in a sampler's dropout": """
        # ActionSampler
        self.rngs = rngs
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        ---
        mean, std = jnp.split(x, 2, -1)
        h = self.drop(x)  # NNX104
        raw = h + self.rngs.normal(h.shape)
        if rollout_extras is not None:
            raw = rollout_extras
        return Out((), {'a': raw, 'll': raw - h}, 0.0, {}, raw)
    """,
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_draw_that_the_replay_does_not_get_back_is_reported(case: str) -> None:
    code = written_out(case)
    assert marked(code)
    assert reported(code, "NNX1") == marked(code)
