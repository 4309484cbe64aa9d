"""Messages: one line that names the attribute, the class, the way to the draw and the remedy."""

from __future__ import annotations

from support import findings_of


def message(snippet: str) -> str:
    (finding,) = findings_of(snippet)
    return finding.text


def test_a_message_names_the_class_the_way_the_stream_and_the_remedy() -> None:
    assert message("""
        class NoisyDense(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs

            def __call__(self, state, x, rollout_extras=None):
                return StatefulModuleOutput(state, self._perturb(x), 0.0, {})

            def _perturb(self, x):
                return x + jax.random.normal(self.rngs.noise(), x.shape)
    """) == (
        "NNX101 NoisyDense.__call__ → _perturb draws from class-level self.rngs.noise: rollout and "
        "loss replay will see different noise; carry one key per env in the state"
    )


def test_the_way_leads_through_children_functions_and_properties() -> None:
    assert message("""
        class Noise(nnx.Module):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs

            @property
            def sample(self):
                return self.rngs.normal((3,))

            def __call__(self, x):
                return jitter(self, x)


        def jitter(noise, x):
            return x + noise.sample


        class Torso(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.noise = Noise(rngs)

            def __call__(self, state, x, rollout_extras=None):
                return StatefulModuleOutput(state, self.noise(x), 0.0, {})
    """).startswith(
        "NNX101 Torso.__call__ → Noise.__call__ → jitter → Noise.sample draws from class-level "
        "self.noise.rngs: "
    )


def test_a_place_that_several_classes_reach_is_reported_once_and_counts_them() -> None:
    text = message("""
        class Base(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs

            def __call__(self, state, x, rollout_extras=None):
                return StatefulModuleOutput(state, self.rngs.normal(x.shape), 0.0, {})


        class First(Base):
            pass


        class Second(Base):
            pass
    """)
    assert text.startswith("NNX101 Base.__call__ draws from class-level self.rngs: ")
    assert text.endswith(" (and 2 more classes)")


def test_every_message_is_a_single_line() -> None:
    texts = [
        finding.text
        for finding in findings_of("""
        class Everything(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs, self.dropout = rngs, nnx.Dropout(0.1, rngs=rngs)
                self.key = nnx.RngKey(rngs())

            def __call__(self, state, x, rollout_extras=None):
                self.key[...], use = jax.random.split(self.key[...])
                x = self.dropout(x) + self.rngs.normal(x.shape)
                x += jax.random.normal(use, x.shape) + np.random.normal(size=3)
                x += jax.random.normal(
                    jax.random.key(
                        0,
                    ),
                    x.shape,
                )
                return StatefulModuleOutput(state, x, 0.0, {})
    """)
    ]
    assert {text.split()[0] for text in texts} == {
        "NNX101",
        "NNX102",
        "NNX103",
        "NNX104",
        "NNX106",
        "NNX107",
    }
    assert all("\n" not in text and len(text) < 250 for text in texts)
