"""Modules with a fault in many forms of code, in short."""

from __future__ import annotations

FORMS = {
    "sub normaltanh noise": """
from nnx_ppo.networks.sampling_layers import NormalTanhSampler
class M(NormalTanhSampler):
    def __init__(self, rngs: nnx.Rngs):
        super().__init__(rngs, 0.0)

    def __call__(self, state, x, rollout_extras=None):
        y = jnp.concatenate([x, x], axis=-1)
        out = super().__call__(state, y + self.rng.normal(y.shape), rollout_extras)
        return out
""",
    "counter stuck state": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        keys = jax.random.split(self.rngs(), batch_size)
        return {"key": keys, "step": jnp.zeros(batch_size, int)}

    def __call__(self, state, x, rollout_extras=None):
        use = jax.vmap(jax.random.fold_in)(state["key"], state["step"])
        noise = jax.vmap(lambda k: jax.random.normal(k, (3,)))(use)
        return StatefulModuleOutput(state, x + noise, 0.0, {})
""",
    "nested": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs
        self.s=1

    def __call__(self, state, x, rollout_extras=None):
        if self.s:
            if rollout_extras is None:
                n = self.rngs.normal(x.shape)
            else:
                n = rollout_extras
        else:
            n = 0 * x
        return StatefulModuleOutput(state, x + n, 0.0, {}, n)
""",
    "rngs empty": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        pass

    def __call__(self, state, x, rollout_extras=None):
        y = x + nnx.Rngs().normal(x.shape)
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "lambda": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        f = lambda: self.rngs.normal(x.shape)
        y = x + f()
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "loop same": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs(), batch_size)

    def __call__(self, state, x, rollout_extras=None):
        noise = jnp.stack([jax.random.normal(state[0], (3,)) for _ in range(x.shape[0])])
        nxt = jax.vmap(lambda k: jax.random.fold_in(k, 1))(state)
        return StatefulModuleOutput(nxt, x + noise, 0.0, {})
""",
    "match tuple stuck": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return (jax.random.split(self.rngs(), batch_size), jnp.zeros(batch_size))

    def __call__(self, state, x, rollout_extras=None):
        match state:
            case (key, h):
                noise = jax.vmap(lambda k: jax.random.normal(k, (3,)))(key)
                return StatefulModuleOutput((key, h + 1), x + noise, 0.0, {})
""",
    "in axes none allkeys": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs(), batch_size)

    def __call__(self, state, x, rollout_extras=None):
        nxt, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        draw = lambda ks, row: jax.random.normal(ks[0], row.shape)
        noise = jax.vmap(draw, in_axes=(None, 0))(use, x)
        return StatefulModuleOutput(nxt, x + noise, 0.0, {})
""",
    "split2 scalar": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        key, _ = jax.random.split(self.rngs())
        return jnp.full((batch_size,), key)

    def __call__(self, state, x, rollout_extras=None):
        nxt, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        noise = jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
        return StatefulModuleOutput(nxt, x + noise, 0.0, {})
""",
    "call lambda": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    __call__ = lambda self, state, x, rollout_extras=None: StatefulModuleOutput(
        state, x + self.rngs.normal(x.shape), 0.0, {}
    )
""",
    "dist": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        pass

    def __call__(self, state, x, rollout_extras=None, dist=None):
        y = dist.sample(seed=jax.random.key(0))
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "split": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        pass

    def __call__(self, state, x, rollout_extras=None):
        for k in jax.random.split(jax.random.key(0), 3):
            y = x + jax.random.normal(k, x.shape)
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "starargs": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def _d(self, x, r):
        return x + r.normal(x.shape)

    def __call__(self, state, x, rollout_extras=None):
        y = self._d(*(x, self.rngs))
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "fold zeros": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.key = rngs.noise()

    def __call__(self, state, x, rollout_extras=None):
        zero = jnp.zeros_like(x[0, 0], int)
        y = x + jax.random.normal(jax.random.fold_in(self.key, zero), x.shape)
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "assign self": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        if rollout_extras is None:
            rollout_extras = self.rngs.normal(x.shape)
        return StatefulModuleOutput(state, x + rollout_extras, 0.0, {}, rollout_extras)
""",
    "dict in": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        if rollout_extras is not None and 'n' in rollout_extras:
            n = rollout_extras['n']
        else:
            n = self.rngs.normal(x.shape)
        return StatefulModuleOutput(state, x + n, 0.0, {}, {'n': n})
""",
    "customvjp": """
@jax.custom_vjp
def f(v, r):
    return v + r.normal(v.shape)
def fwd(v, r):
    return f(v, r), None
def bwd(res, g):
    return g, None
f.defvjp(fwd, bwd)
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        y = f(x, self.rngs)
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "local rngs stuck": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs(), batch_size)

    def __call__(self, state, x, rollout_extras=None):
        def one(k, row):
            rngs = nnx.Rngs(k)
            return k, row + jax.random.normal(rngs(), row.shape)
        nxt, y = jax.vmap(one)(state, x)
        return StatefulModuleOutput(nxt, y, 0.0, {})
""",
    "6b": """
from flax.nnx import *
from jax.random import *
class M(StatefulModule):
    def __init__(self, rngs):
        self.src = key(0)

    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, x + normal(self.src, x.shape), 0.0, {})
""",
    "13": """
from jax.random import normal
from nnx_ppo.networks.feedforward import Dense as StatefulModule
from nnx_ppo.networks.types import StatefulModuleOutput as Out
class M(StatefulModule):
    def __init__(self, rngs):
        self.src = nnx.Rngs(0)

    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, x + normal(self.src(), x.shape), 0.0, {})
""",
    "in function": """
def make(rngs):
    class M(StatefulModule):
        def __call__(self, state, x, rollout_extras=None):
            return StatefulModuleOutput(state, x + rngs.normal(x.shape), 0.0, {})

    return M()
""",
    "fnattr": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.f = np.random.normal

    def __call__(self, state, x, rollout_extras=None):
        y = x + self.f(size=3)
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "unbound": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        y = x + nnx.Rngs.normal(self.rngs, x.shape)
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "backup": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        b = nnx.rnglib.backup_keys(self)
        y = x
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "seed hash": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        pass

    def __call__(self, state, x, rollout_extras=None):
        y = x + jax.random.normal(jax.random.key(hash('a') % 100), x.shape)
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "kw": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.key = rngs.noise()

    def __call__(self, state, x, rollout_extras=None):
        y = x + jax.random.normal(shape=x.shape, key=self.key)
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "lambda call kw": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        y = (lambda *, r, v: v + r.normal(v.shape))(r=self.rngs, v=x)
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "attr": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.key = rngs.noise()

    def __call__(self, state, x, rollout_extras=None):
        self.key, u = jax.random.split(self.key)
        y = x
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "localkey": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        pass

    def __call__(self, state, x, rollout_extras=None):
        d = {}
        d['k'] = state
        d['k'] = jax.random.split(d['k'])
        y = x
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "lazy key": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        y = jax.vmap(lambda k, r: nnx.Dropout(0.5, rngs=nnx.Rngs(k))(r))(state, x)
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "call det param": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, state, x, rollout_extras=None, det=True):
        y = self.drop(x, deterministic=det)
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "kwsig": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, *, rollout_extras=None):
        n = self.rngs.normal(x.shape) if rollout_extras is None else rollout_extras
        return StatefulModuleOutput(state, x + n, 0.0, {}, n)
""",
    "class method call": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def _d(self, x):
        return x + self.rngs.normal(x.shape)

    def __call__(self, state, x, rollout_extras=None):
        y = M._d(self, x)
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "match tuple": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.src = rngs

    def __call__(self, state, x, rollout_extras=None):
        match (self.src, x):
            case (r, v):
                y = v + r.normal(x.shape)
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "call star entry": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def forward(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, x + self.rngs.normal(x.shape), 0.0, {})

    def __call__(self, *args, **kw):
        return self.forward(*args, **kw)
""",
    "args2": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def _d(self, *args):
        return args[0] + args[1].normal(args[0].shape)

    def __call__(self, state, x, rollout_extras=None):
        y = self._d(x, self.rngs)
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "ifnot": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        if rollout_extras is not None:
            n = rollout_extras
        else:
            n = self.rngs.normal(x.shape)
        return StatefulModuleOutput(state, x + n, 0.0, {}, n)
""",
    "nested again": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        def f():
            def g():
                return self.rngs.normal(x.shape)
            return g()
        y = x + f()
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "unknown deco": """
from beartype import beartype
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    @beartype
    def _d(self, v):
        return v + self.rngs.normal(v.shape)

    def __call__(self, state, x, rollout_extras=None):
        y = self._d(x)
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "method": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.key = nnx.Variable(rngs.noise())

    def _adv(self):
        self.key.value = jax.random.split(self.key.value)[0]

    def __call__(self, state, x, rollout_extras=None):
        self._adv()
        y = x
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "early": """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        if rollout_extras is not None:
            return StatefulModuleOutput(state, x + rollout_extras, 0.0, {}, rollout_extras)
        n = self.rngs.normal(x.shape)
        return StatefulModuleOutput(state, x + n, 0.0, {}, n)
""",
    "ctxmgr": """
import contextlib
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    @contextlib.contextmanager
    def _g(self):
        yield self.rngs

    def __call__(self, state, x, rollout_extras=None):
        with self._g() as r:
            y = x + r.normal(x.shape)
        return StatefulModuleOutput(state, y, 0.0, {})
""",
    "clone stuck": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs(), batch_size)

    def __call__(self, state, x, rollout_extras=None):
        noise = jax.vmap(lambda k: jax.random.normal(k, (3,)))(jax.random.clone(state))
        return StatefulModuleOutput(state, x + noise, 0.0, {})
""",
    "const next": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs(), batch_size)

    def __call__(self, state, x, rollout_extras=None):
        noise = jax.vmap(lambda k: jax.random.normal(k, (3,)))(state)
        keys = jax.random.split(jax.random.key(0), x.shape[0])
        return StatefulModuleOutput(keys, x + noise, 0.0, {})
""",
    "super chain": """
class A(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, self._f(x), 0.0, {})

    def _f(self, x):
        return x
class B(A):
    def _f(self, x):
        return super()._f(x) + self.rngs.normal(x.shape)
class C(A):
    def _f(self, x):
        return super(C, self)._f(x)
class D(C, B):
    pass
""",
    "local rngs first": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs(), batch_size)

    def __call__(self, state, x, rollout_extras=None):
        nxt, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        rngs = nnx.Rngs(use[0])
        return StatefulModuleOutput(nxt, x + jax.random.normal(rngs(), x.shape), 0.0, {})
""",
    "helper out": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs(), batch_size)

    def _finish(self, key, y):
        return StatefulModuleOutput(key, y, 0.0, {})  #~

    def __call__(self, state, x, rollout_extras=None):
        noise = jax.vmap(lambda k: jax.random.normal(k, (3,)))(state)
        return self._finish(state, x + noise)
""",
    "vmap const": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return jax.vmap(lambda i: jax.random.key(0))(jnp.arange(batch_size))

    def __call__(self, state, x, rollout_extras=None):
        nxt, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        noise = jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
        return StatefulModuleOutput(nxt, x + noise, 0.0, {})
""",
    "dictcomp next stuck": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        a = jax.random.split(self.rngs(), batch_size)
        return {"a": a, "b": jax.random.split(self.rngs(), batch_size)}

    def __call__(self, state, x, rollout_extras=None):
        for k in state.values():
            x = x + jax.vmap(lambda q: jax.random.normal(q, (3,)))(k)
        return StatefulModuleOutput({n: k for n, k in state.items()}, x, 0.0, {})
""",
    "comp same": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        key = self.rngs()
        return jnp.stack([key for _ in range(batch_size)])

    def __call__(self, state, x, rollout_extras=None):
        nxt, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        noise = jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
        return StatefulModuleOutput(nxt, x + noise, 0.0, {})
""",
    "partial key first": """
from functools import partial
import flax.struct
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs(), batch_size)

    def _draw(self, k, row):
        return row + jax.random.normal(k, row.shape)

    def __call__(self, state, x, rollout_extras=None):
        nxt, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        return StatefulModuleOutput(nxt, jax.vmap(partial(self._draw, use[0]))(x), 0.0, {})
""",
    "tuple scalar2": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs(), batch_size), self.rngs()

    def __call__(self, state, x, rollout_extras=None):
        keys, other = state
        nxt, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(keys)
        noise = jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
        return StatefulModuleOutput((nxt, other), x + noise, 0.0, {})
""",
    "super base const": """
class Base(StatefulModule):
    def reset_state(self, prev_state):
        return jax.random.key(1)
class M(Base):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs(), batch_size)

    def __call__(self, state, x, rollout_extras=None):
        nxt, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        noise = jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
        return StatefulModuleOutput(nxt, x + noise, 0.0, {})
""",
    "struct method const": """
from functools import partial
import flax.struct
@flax.struct.dataclass
class Noise:
    key: jax.Array

    def draw(self, shape):
        return jax.random.normal(jax.random.key(0), shape)
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return Noise(jax.random.split(self.rngs(), batch_size))

    def __call__(self, state, x, rollout_extras=None):
        noise = state.draw(x.shape)
        key = jax.vmap(lambda k: jax.random.fold_in(k, 1))(state.key)
        return StatefulModuleOutput(state.replace(key=key), x + noise, 0.0, {})
""",
    "base call stuck": """
class Base(StatefulModule):
    def noise(self, key):
        return jax.vmap(lambda k: jax.random.normal(k, (3,)))(key)

    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(self.advance(state), x + self.noise(state), 0.0, {})

    def advance(self, key):
        return jax.vmap(lambda k: jax.random.fold_in(k, 1))(key)
class M(Base):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs(), batch_size)

    def advance(self, key):
        return key
""",
    "super": """
class Base(StatefulModule):
    def __init__(self, rngs):
        super().__init__()
        self.src = nnx.Rngs(rngs())

    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, x + self.src.normal(x.shape), 0.0, {})
class A(Base):
    def __init__(self, rngs, n):
        super().__init__(rngs)
        self.n = n

    def __call__(self, state, x, rollout_extras=None):
        return super().__call__(state, x, rollout_extras)
class B(A):
    def __call__(self, state, x, rollout_extras=None):
        return Base.__call__(self, state, x, rollout_extras)
""",
    "two keys mixed": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        a = jax.random.split(self.rngs(), batch_size)
        return {"a": a, "b": jax.random.split(self.rngs(), batch_size)}

    def __call__(self, state, x, rollout_extras=None):
        na, ua = jax.vmap(lambda k: tuple(jax.random.split(k)))(state["a"])
        mix = jax.vmap(lambda a, b: jax.random.fold_in(a, jax.random.bits(b)))(ua, state["b"])
        draw = jax.vmap(lambda k: jax.random.normal(k, (3,)))
        return StatefulModuleOutput({"a": na, "b": state["b"]}, x + draw(mix), 0.0, {})
""",
    "init1 dict": """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return {"key": jax.random.split(self.rngs(), batch_size), "h": jnp.zeros((batch_size, 3))}

    def reset_state(self, prev_state):
        fresh = self.initialize_state(1)
        return {"key": prev_state["key"], "h": fresh["h"][0]}

    def __call__(self, state, x, rollout_extras=None):
        nxt, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state["key"])
        noise = jax.vmap(lambda k: jax.random.normal(k, (3,)))(use)
        return StatefulModuleOutput({"key": nxt, "h": noise}, x + noise, 0.0, {})
""",
    "struct const": """
from functools import partial
import flax.struct
@flax.struct.dataclass
class State:
    key: jax.Array
    h: jax.Array
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return State(key=jax.random.split(self.rngs(), batch_size), h=jnp.zeros((batch_size, 3)))

    def reset_state(self, prev_state):
        return prev_state.replace(key=jax.random.key(2))

    def __call__(self, state, x, rollout_extras=None):
        nxt, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state.key)
        noise = jax.vmap(lambda k: jax.random.normal(k, (3,)))(use)
        return StatefulModuleOutput(state.replace(key=nxt, h=noise), x + noise, 0.0, {})
""",
}
"""By name the classes of a file, as snippets are."""
