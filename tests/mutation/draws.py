"""Draws that the replay cannot repeat, to be added to the input of any module.

`$x` stands for the input's name. What a draw needs stands in the constructor's last lines, or
before the class.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Draw:
    """Noise on the input.

    Attributes:
        noise: An expression of the input's shape.
        codes: The rules that should speak.
        before: Statements of the forward pass in front of it.
        init: The constructor's last statements.
        members: Further members of the class.
        top: What stands in front of the class.
    """

    noise: str
    codes: tuple[str, ...]
    before: str = ""
    init: str = ""
    members: str = ""
    top: str = ""


STREAM = "self.mutant_rngs = nnx.Rngs(1, noise=2)"
KEY = "self.mutant_key = nnx.Variable(jax.random.key(1))"
_S, _K = ("NNX101",), ("NNX102",)


def _stream(noise: str, before: str = "", members: str = "", init: str = "", top: str = "") -> Draw:
    return Draw(noise, _S, before, f"{STREAM}\n{init}", members, top)


DRAWS = {
    "inline": _stream("jax.random.normal(self.mutant_rngs(), $x.shape)"),
    "named": _stream("jax.random.normal(self.mutant_rngs.noise(), $x.shape)"),
    "helper": _stream(
        "self.mutant_noise($x)",
        members="""
        def mutant_noise(self, x):
            return jax.random.normal(self.mutant_rngs.noise(), x.shape)
        """,
    ),
    "property": _stream(
        "jax.random.normal(self.mutant_fresh, $x.shape)",
        members="""
        @property
        def mutant_fresh(self):
            return self.mutant_rngs.noise()
        """,
    ),
    "alias": _stream("jax.random.normal(source.noise(), $x.shape)", "source = self.mutant_rngs"),
    "bound": _stream("jax.random.normal(draw(), $x.shape)", "draw = self.mutant_rngs.noise"),
    "subscript": _stream(
        "jax.random.normal(self.mutant_rngs[self.mutant_name](), $x.shape)",
        init="self.mutant_name = 'noise'",
    ),
    "getattr": _stream(
        "jax.random.normal(getattr(self.mutant_rngs, 'noise', self.mutant_rngs)(), $x.shape)"
    ),
    "method": _stream("self.mutant_rngs.normal($x.shape)"),
    "scalar": _stream("jax.random.normal(self.mutant_rngs.noise())"),
    "loop": _stream(
        "noise",
        """
        noise = 0.0
        for _ in range(2):
            noise = noise + jax.random.normal(self.mutant_rngs(), $x.shape)
        """,
    ),
    "batch split": _stream(
        "jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(keys, $x)",
        "keys = jax.random.split(self.mutant_rngs(), $x.shape[0])",
    ),
    "argument": _stream(
        "mutant_noise($x, key=self.mutant_rngs())",
        top="""
        def mutant_noise(x, key):
            return jax.random.normal(key, x.shape)
        """,
    ),
    "object passed": _stream(
        "mutant_noise($x, self.mutant_rngs)",
        top="""
        def mutant_noise(x, rngs):
            return rngs.noise.normal(x.shape)
        """,
    ),
    "fallback": _stream(
        "self.mutant_noise($x)",
        members="""
        def mutant_noise(self, x, rngs=None):
            if rngs is None:
                rngs = self.mutant_rngs
            return jax.random.normal(rngs(), x.shape)
        """,
    ),
    "ternary": _stream(
        "jax.random.normal(given if given is not None else self.mutant_rngs(), $x.shape)",
        "given = None",
    ),
    "flag": _stream(
        "noise",
        """
        noise = jax.numpy.zeros($x.shape)
        if self.mutant_training:
            noise = jax.random.normal(self.mutant_rngs(), $x.shape)
        """,
        init="self.mutant_training = True",
    ),
    "presence": Draw(
        "jax.random.normal(chosen, $x.shape)",
        ("NNX101", "NNX106"),
        "chosen = self.mutant_rngs.noise() if 'noise' in self.mutant_rngs else jax.random.key(0)",
        STREAM,
    ),
    "all streams": _stream(
        "jax.random.normal(keys['noise'], $x.shape)",
        "keys = {name: stream() for name, stream in self.mutant_rngs.items()}",
    ),
    "attempt": _stream(
        "noise",
        """
        try:
            noise = jax.random.normal(self.mutant_rngs(), $x.shape)
        except RuntimeError:
            noise = 0.0
        """,
    ),
    "split streams": _stream(
        "noise",
        """
        with nnx.split_rngs(self.mutant_rngs, splits=$x.shape[0]):
            noise = nnx.vmap(lambda rngs, row: rngs.normal(row.shape))(self.mutant_rngs, $x)
        """,
    ),
    "fork": _stream("self.mutant_rngs.fork().normal($x.shape)"),
    "split": _stream(
        "jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(keys, $x)",
        "keys = self.mutant_rngs.split($x.shape[0]).noise.key[...]",
    ),
    "broadcast": _stream("jax.random.normal(self.mutant_rngs.broadcast(2).noise.key[0], $x.shape)"),
    "reseed": _stream(
        "self.mutant_rngs.normal($x.shape)", "nnx.reseed(self.mutant_rngs, default=0)"
    ),
    "clone": _stream("nnx.clone(self.mutant_rngs).normal($x.shape)"),
    "closure": _stream(
        "self.mutant_noise($x)",
        init="""
mutant_streams = self.mutant_rngs
self.mutant_noise = lambda x: jax.random.normal(mutant_streams.noise(), x.shape)
""",
    ),
    "lazy layer": _stream("nnx.Linear($x.shape[-1], $x.shape[-1], rngs=self.mutant_rngs)($x)"),
    "streams of the file": Draw(
        "MUTANT_RNGS.normal($x.shape)", _S, top="MUTANT_RNGS = nnx.Rngs(0)\n"
    ),
    "count set": Draw("0.0", ("NNX103",), "self.mutant_rngs.noise.count[...] = 3", STREAM),
    "stored key": Draw("jax.random.normal(self.mutant_key[...], $x.shape)", _K, init=KEY),
    "stored plain key": Draw(
        "jax.random.normal(self.mutant_key, $x.shape)",
        _K,
        init="self.mutant_key = jax.random.key(1)",
    ),
    "stored RngKey": Draw(
        "jax.random.normal(self.mutant_key[...], $x.shape)",
        _K,
        init="self.mutant_key = nnx.RngKey(jax.random.key(1), tag='noise')",
    ),
    "advanced key": Draw(
        "jax.random.normal(use, $x.shape)",
        ("NNX102", "NNX103"),
        """
        following, use = jax.random.split(self.mutant_key[...])
        self.mutant_key[...] = following
        """,
        KEY,
    ),
    "advanced by set_value": Draw(
        "jax.random.normal(use, $x.shape)",
        ("NNX102", "NNX103"),
        """
        following, use = jax.random.split(self.mutant_key.get_value())
        self.mutant_key.set_value(following)
        """,
        KEY,
    ),
    "advanced raw key": Draw(
        "jax.random.normal(use, $x.shape)",
        ("NNX102", "NNX103"),
        """
        following, use = jax.random.split(self.mutant_key[...])
        self.mutant_key[...] = following
        """,
        "self.mutant_key = nnx.Variable(jax.random.PRNGKey(0))",
    ),
    "advanced attribute": Draw(
        "jax.random.normal(use, $x.shape)",
        ("NNX102", "NNX103"),
        "self.mutant_key, use = jax.random.split(self.mutant_key)",
        "self.mutant_key = jax.random.key(1)",
    ),
    "row numbers folded in": Draw(
        "jax.vmap(lambda i, row: jax.random.normal(jax.random.fold_in(base, i), row.shape))"
        "(jax.numpy.arange($x.shape[0]), $x)",
        _K,
        "base = self.mutant_key[...]",
        KEY,
    ),
    "stored counter folded in": Draw(
        "jax.random.normal(use, $x.shape)",
        ("NNX102", "NNX108"),
        """
        use = jax.random.fold_in(self.mutant_key[...], self.mutant_count[...])
        self.mutant_count[...] += 1
        """,
        f"{KEY}\nself.mutant_count = nnx.Variable(jax.numpy.array(0))",
    ),
    "key of the file": Draw(
        "jax.random.normal(MUTANT_KEY, $x.shape)", _K, top="MUTANT_KEY = jax.random.key(0)\n"
    ),
    "constant key": Draw("jax.random.normal(jax.random.key(0), $x.shape)", ("NNX106",)),
    "constant streams": Draw("nnx.Rngs(0).normal($x.shape)", ("NNX106",)),
    "constant key, split": Draw(
        "jax.vmap(lambda k, row: jax.random.normal(k, row.shape))"
        "(jax.random.split(jax.random.key(0), $x.shape[0]), $x)",
        ("NNX106",),
    ),
    "NumPy": Draw("numpy.random.normal(size=$x.shape)", ("NNX107",), top="import numpy\n"),
    "NumPy's generator": Draw(
        "self.mutant_np.normal(size=$x.shape)",
        ("NNX107",),
        init="import numpy\nself.mutant_np = numpy.random.default_rng(0)",
    ),
    "random": Draw("random.gauss(0.0, 1.0)", ("NNX107",), top="import random\n"),
    "secrets": Draw("float(secrets.randbelow(100))", ("NNX107",), top="import secrets\n"),
    "the time as a seed": Draw(
        "jax.random.normal(jax.random.key(time.time_ns() % 1000), $x.shape)",
        ("NNX107",),
        top="import time\n",
    ),
    "dropout": Draw(
        "self.mutant_drop($x)",
        ("NNX104",),
        init="self.mutant_drop = nnx.Dropout(0.5, rngs=nnx.Rngs(0))",
    ),
    "dropout given the streams": Draw(
        "self.mutant_drop($x, rngs=self.mutant_rngs)",
        ("NNX104",),
        init=f"{STREAM}\nself.mutant_drop = nnx.Dropout(0.5)",
    ),
    "batch normalisation": Draw(
        "self.mutant_norm($x)",
        ("NNX108",),
        init="self.mutant_norm = nnx.BatchNorm(mutant_size, rngs=nnx.Rngs(0))",
    ),
    "a counter": Draw(
        "self.mutant_count[...]",
        ("NNX108",),
        "self.mutant_count[...] += 1.0",
        "self.mutant_count = nnx.Variable(jax.numpy.zeros(()))",
    ),
    "streams handed on": Draw(
        "mutant_augment.noise($x, self.mutant_rngs)",
        ("NNX105",),
        init=STREAM,
        top="import mutant_augment\n",
    ),
}
"""By name; of those in which the oracle sees something."""
