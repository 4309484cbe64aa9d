"""The sound modules that are to be broken: where their source is, and how they are built."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

PPO, REFERENCE = "nnx_ppo", "nnx_ppo_ref"
SIZE = 4
"""Features of an observation."""


@dataclass(frozen=True)
class Subject:
    """A class of a library.

    Attributes:
        library: The package.
        file: Its file in `networks`, without suffix.
        cls: The class.
        build: Makes an instance, given the module of the file and the library's other layers.
        sample: Makes an observation.
    """

    library: str
    file: str
    cls: str
    build: Callable[[Any, Any], Any]
    sample: Callable[[], Any] | None = None

    def __str__(self) -> str:
        return f"{self.library} {self.cls}"

    @property
    def source(self) -> str:
        """The text of the file, without importing the library."""
        spec = importlib.util.find_spec(self.library)
        assert spec is not None
        assert spec.submodule_search_locations is not None
        root = Path(next(iter(spec.submodule_search_locations)))
        return (root / "networks" / f"{self.file}.py").read_text("utf-8")

    def instance(self, file: ModuleType) -> Any:
        """A module of the class in a file, with sound layers around it."""
        return self.build(file, Layers(self.library))

    def observation(self) -> Any:
        """One observation without a batch."""
        import numpy as np

        return np.zeros(SIZE, np.float32) if self.sample is None else self.sample()


@dataclass(frozen=True)
class Layers:
    """The sound layers of a library, small ones.

    Attributes:
        library: The package.
        seeds: Those of the streams that the layers are built with.
    """

    library: str
    seeds: Iterator[int] = field(default_factory=itertools.count)

    def _of(self, file: str) -> Any:
        return importlib.import_module(f"{self.library}.networks.{file}")

    def rngs(self) -> Any:
        """Streams to build with, no two alike."""
        from flax import nnx

        return nnx.Rngs(next(self.seeds))

    def dense(self, size: int, features: int = SIZE) -> Any:
        """A dense layer."""
        return self._of("feedforward").Dense(features, size, self.rngs())

    def bottleneck(self) -> Any:
        """A layer that carries keys, from `SIZE` features to half of them."""
        return self._of("variational").VariationalBottleneck(SIZE // 2, self.rngs())

    def sampler(self) -> Any:
        """A layer that needs its extras."""
        return self._of("sampling_layers").NormalTanhSampler(self.rngs(), 0.01)

    def emitting(self) -> Any:
        """A layer that is no sampler and stores its noise in its extras, which it needs."""
        import jax

        types = self._of("types")

        class Emitting(types.StatefulModule):  # type: ignore[misc, name-defined]
            def __init__(self, rngs: Any) -> None:
                self.rngs = rngs

            def __call__(self, state: Any, x: Any, rollout_extras: Any = None) -> Any:
                fresh = jax.random.normal(self.rngs(), x.shape)
                noise = fresh if rollout_extras is None else rollout_extras
                return types.StatefulModuleOutput(state, x + noise, jax.numpy.zeros(()), {}, noise)

        return Emitting(self.rngs())

    def chain(self, *layers: Any) -> Any:
        """One layer after another."""
        return self._of("containers").Sequential(list(layers))


def _named() -> Any:
    import numpy as np

    return {"a": np.zeros(SIZE, np.float32), "b": np.zeros(SIZE, np.float32)}


def _of(library: str) -> list[Subject]:
    return [
        Subject(library, "feedforward", "Dense", lambda file, _: file.Dense(SIZE, 3, _.rngs())),
        Subject(library, "recurrent", "LSTM", lambda file, _: file.LSTM(SIZE, 3, _.rngs())),
        Subject(library, "delay", "Delay", lambda file, _: file.Delay(_zeros(), 2)),
        Subject(
            library,
            "variational",
            "VariationalBottleneck",
            lambda file, _: file.VariationalBottleneck(SIZE // 2, _.rngs()),
        ),
        Subject(
            library,
            "variational",
            "AR1VariationalBottleneck",
            lambda file, _: file.AR1VariationalBottleneck(SIZE // 2, _.rngs()),
        ),
        Subject(
            library,
            "sampling_layers",
            "NormalTanhSampler",
            lambda file, _: file.NormalTanhSampler(_.rngs(), 0.01),
        ),
        Subject(
            library,
            "containers",
            "Sequential",
            lambda file, _: file.Sequential([_.bottleneck(), _.dense(SIZE, 2), _.sampler()]),
        ),
        Subject(
            library,
            "adapter",
            "PPOAdapter",
            lambda file, _: file.PPOAdapter(
                _.chain(_.bottleneck(), _.dense(4, 2), _.sampler()),
                _.chain(_.bottleneck(), _.emitting(), _.dense(1, 2)),
            ),
        ),
        Subject(
            library,
            "containers",
            "Concat",
            lambda file, _: file.Concat(a=_.bottleneck(), b=_.emitting()),
            _named,
        ),
    ]


def _zeros() -> Any:
    import jax

    return jax.numpy.zeros(SIZE)


SUBJECTS = {str(subject): subject for subject in (*_of(PPO), *_of(REFERENCE))}
