"""Modules to lint, and a way to run commands on them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

FAULTY = """\
import jax
from flax import nnx
from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


class Noisy(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        noise = jax.random.normal(self.rngs.noise(), x.shape)
        return StatefulModuleOutput(state, x + noise, 0.0, {})
"""
"""A module with one NNX101 and nothing else that flake8 dislikes."""

DRAW = "self.rngs.noise()"
LINE, COLUMN = 11, 35
"""What the NNX101 in `FAULTY` is about and where it stands, counted from 1."""

SOUND = """\
import jax
from flax import nnx
from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


class Noisy(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs.noise(), batch_size)

    def __call__(self, keys, x, rollout_extras=None):
        keys, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(keys)
        noise = jax.vmap(lambda k, r: jax.random.normal(k, r.shape))(use, x)
        return StatefulModuleOutput(keys, x + noise, 0.0, {})
"""
"""The same module as it should be."""

BASE = "acme.layers.Layer"
OF_UNKNOWN_BASE = FAULTY.replace("StatefulModule, ", "").replace(
    "\n\n\nclass Noisy(StatefulModule)", "\nfrom acme.layers import Layer\n\n\nclass Noisy(Layer)"
)
"""`FAULTY` one line further down, in a subclass of `BASE`, whose source is nowhere."""

TIMEOUT = 300


def start(path: str = "noisy.py", line: int = LINE) -> str:
    """How the report of the finding in `FAULTY` starts."""
    return f"{path}:{line}:{COLUMN}: NNX101 "


def run(
    *command: str,
    cwd: Path,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = TIMEOUT,
) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end, whatever its exit status."""
    done = subprocess.run(
        command,
        cwd=cwd,
        input=b"" if stdin is None else stdin,
        env=env,
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args,
        done.returncode,
        done.stdout.decode(errors="backslashreplace"),
        done.stderr.decode(errors="backslashreplace"),
    )


def flake8(
    *arguments: str, cwd: Path, stdin: bytes | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs flake8 under the interpreter of the tests."""
    return run(sys.executable, "-m", "flake8", *arguments, cwd=cwd, stdin=stdin)
