"""NNX403: a sampler's stream advances equally in both passes."""

from __future__ import annotations

import pytest
from support import findings_of

from .samplers import sampler

CASES = {
    "a draw in the rollout alone": (
        "raw = mean + self.noise(mean) if rollout_extras is None else rollout_extras\nkept = raw",
        True,
    ),
    "a draw in both passes": (
        "raw = mean + self.noise(mean)\n"
        "raw = raw if rollout_extras is None else rollout_extras\nkept = raw",
        False,
    ),
    "an early return of the replay": (
        """
        if rollout_extras is not None:
            return Out(state, rollout_extras, 0.0, {}, rollout_extras)
        raw = mean + self.noise(mean)
        return Out(state, raw, 0.0, {}, raw)
        """,
        True,
    ),
    "a draw for the entropy in the rollout alone": (
        """
        entropy = jnp.mean(self.noise(mean)) if rollout_extras is None else 0.0
        return Out(state, mean, entropy, {})
        """,
        True,
    ),
    "a draw in the rollout alone, by the helper of another": (
        """
        raw = rollout_extras
        if rollout_extras is None:
            raw = mean + self.noise(mean)
        entropy = jnp.mean(self.noise(mean))
        return Out(state, raw, entropy, {}, raw)
        """,
        True,
    ),
    "two draws by one helper in both passes": (
        """
        drawn = mean + self.noise(mean)
        raw = drawn if rollout_extras is None else rollout_extras
        entropy = jnp.mean(self.noise(mean))
        return Out(state, raw, entropy, {}, raw)
        """,
        False,
    ),
    "an action that is not even emitted": (
        """
        raw = mean + self.noise(mean) if rollout_extras is None else rollout_extras
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {})
        """,
        False,
    ),
}


@pytest.mark.parametrize(("body", "is_reported"), CASES.values(), ids=CASES)
def test_a_stream_must_move_in_both_passes(body: str, is_reported: bool) -> None:
    codes = [finding.code for finding in findings_of("# NNX403\n" + sampler(body))]
    assert codes.count("NNX403") == is_reported


def test_it_is_said_of_any_class_whose_draw_comes_back() -> None:
    (finding,) = findings_of("""
        # NNX403
        class Kept(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs

            def __call__(self, state, x, rollout_extras=None):
                noise = rollout_extras
                if noise is None:
                    noise = self.rngs.normal(x.shape)
                return StatefulModuleOutput(state, x + noise, 0.0, {}, noise)
    """)
    assert finding.text.startswith("NNX403 Kept.__call__ draws from self.rngs only if")
