"""What the evidence usually means: a table from a kind of evidence to a sentence.

The kinds are decided from how the differing draws came about; the sentences say what to look for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nnx_ppo_ref.oracle import jaxprs
from nnx_ppo_ref.oracle.draws import CARRIED, INPUT, Dependencies, Draw

CAUSES: Mapping[str, str] = {
    "stream": (
        "a stream or key of the module itself is drawn from in the forward pass and goes on "
        "between rollout and replay; carry one key for each environment instead"
    ),
    "stored key": (
        "a key of the module itself is drawn from but never advanced, so noise depends on the "
        "place in the batch; carry one key for each environment instead"
    ),
    "constant key": (
        "a key made from a constant in the forward pass: the full batch agrees by accident, a "
        "permuted minibatch does not; carry one key for each environment instead"
    ),
    "position": (
        "carried keys are used for the batch as a whole, such as the first environment's key for "
        "all; map the split and the draw over the environments"
    ),
    "generator": (
        "keys of implementation rbg or unsafe_rbg: under vmap their draws depend on the position "
        "in the batch; make threefry2x32 keys"
    ),
    "host": (
        "Python or NumPy drew a number while the function was traced: it is frozen in the compiled "
        "program and another one in the next trace; draw with jax.random from a carried key"
    ),
    "extras": (
        "the sampled action is drawn again: the sampler returns no rollout_extras, ignores them, "
        "or a container does not hand them on"
    ),
    "written": (
        "the forward pass writes a Variable that the output depends on, such as BatchNorm in "
        "train mode or a counter"
    ),
    "batch": (
        "the output of an environment depends on the others, such as a statistic over the batch"
    ),
    "unseen": "noise or state that the trace does not show; look at what runs outside of it",
    "not advanced": "the carried key comes back unchanged and nothing carried is folded in",
    "rewound": (
        "reset_state brings earlier keys or counters back, so every episode repeats its noise"
    ),
    "shared": "one draw serves the whole batch; map it over one key for each environment",
    "equal keys": "the carry holds one key, or copies of one; split a key for each environment",
    "destroyed": "reset_state replaces the carried keys by a constant; let keys pass through it",
    "unlocked": (
        "the action is computed again from new parameters instead of read from rollout_extras"
    ),
    "mutation": (
        "RNG state of the module changes inside reset_state, which the loss calls under "
        "vmap(cond); fold into the carried key instead"
    ),
    "outside": (
        "a Variable from outside of the trace is changed, such as a stream that a stored closure "
        "captured"
    ),
    "leak": "an attribute keeps a value of a trace; carry it, or keep it in an nnx.Variable",
    "carry": "the carry must keep its structure, shapes and dtypes, with the batch first",
    "reuse": "a key is consumed twice, such as drawn from and then split; split first, use once",
    "families": "fold_in(key, n) is split(key)[n], so the noise may come twice; use one of the two",
    "lockstep": (
        "the sampler draws from its stream only when rollout_extras is None; draw in both cases"
    ),
}
"""From a kind of evidence to what it usually means."""


def of_draws(draws: Sequence[Draw], streams: Dependencies, changing: Dependencies) -> str:
    """The kind of evidence that some draws are which ought to be others or different.

    Args:
        draws: The draws, at least one.
        streams: The marks of all arrays of the module's state.
        changing: The marks of those that changed during the pass.
    """
    draw = draws[0]
    tests = (
        ("host", draw.primitive == "host" or draw.primitive in jaxprs.CALLBACKS),
        ("generator", "rbg" in draw.generator),
        ("stream", bool(draw.key & changing)),
        ("stored key", bool(draw.key & streams)),
        ("position", bool(draw.key & (CARRIED | INPUT))),
    )
    return next((kind for kind, holds in tests if holds), "constant key")
