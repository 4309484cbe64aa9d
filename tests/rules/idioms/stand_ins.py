"""Small stand-ins for packages that the idioms import and the tests do not install."""

from __future__ import annotations

AUGMENTATIONS = """
import jax

def perturbed(x, rngs):
    return x + jax.random.normal(rngs.noise(), x.shape)
"""

DISTRAX = """
import jax

class Normal:
    def __init__(self, loc, scale):
        self.loc, self.scale = loc, scale

    def sample(self, *, seed):
        return self.loc + self.scale * jax.random.normal(seed, self.loc.shape)

class MultivariateNormalDiag(Normal):
    def log_prob(self, value):
        return -jax.numpy.sum(((value - self.loc) / self.scale) ** 2, axis=-1) / 2
"""

FILES = {"augmentations": AUGMENTATIONS, "distrax": DISTRAX}
