"""From a recipe to the text of one or more files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .dimensions_flow import CONTROLS, REACHES, SINKS, Reach
from .dimensions_keys import STEPS
from .dimensions_roles import ROLES, SHELLS
from .dimensions_state import RESETS, STRUCTURES, packed, unpacked
from .recipe import MEMORY, Noise, Recipe
from .templates import fill, indented, joined

MODULE, INNER, PARTS = "module", "inner", "parts"
"""The files: that of the class `M`, that of a module within it, and that of what it uses."""

_IMPORTS = {
    "functools": "import functools",
    "random": "import random",
    "secrets": "import secrets",
    "time": "import time",
    "dataclass": "from dataclasses import dataclass",
    "Any|NamedTuple": "from typing import Any, NamedTuple",
    "jax": "import jax",
    "jnp": "import jax.numpy as jnp",
    "np": "import numpy as np",
    "nnx": "from flax import nnx",
    "ActionSampler": "from $library.networks.sampling_layers import ActionSampler",
    "StatefulModule": "from $library.networks.types import StatefulModule",
    "Out": "from $library.networks.types import StatefulModuleOutput as Out",
}
"""By the names that they bind."""


@dataclass
class _Parts:
    """The texts that a module is put together of."""

    top: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    init: list[str] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    sinks: list[str] = field(default_factory=list)
    advances: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    base: str = ""


def source(recipe: Recipe) -> Mapping[str, str]:
    """The files of a module by name, that of the class `M` last."""
    shell = SHELLS[recipe.shell]
    cls, parts = _class(recipe, "Inner" if shell.text else "M")
    files = {PARTS: joined(*parts.other)} if parts.other else {}
    own = joined_widely(*parts.top, cls)
    outer = fill(shell.text)
    if shell.other:
        files |= {INNER: own, MODULE: outer}
    else:
        files[MODULE] = joined_widely(own, outer)
    return {name: _file(name, text, files, recipe.library) for name, text in files.items()}


def is_self_contained(noise: Noise) -> bool:
    """Whether a sample that is drawn by a function of its source needs nothing else."""
    reach = REACHES[noise.reach]
    return not reach.handle or "self." not in _block(noise, 0, reach)[0]


def _class(recipe: Recipe, name: str) -> tuple[str, _Parts]:
    role, structure = ROLES[recipe.role], STRUCTURES[recipe.structure]
    parts = _Parts(base=role.base)
    for n in range(len(recipe.noises)):
        _add(parts, recipe, n, is_sample=role.samples and n == 0)
    slots = list(recipe.slots())
    names = [slot for slot, _, _ in slots]
    if recipe.torso == "self.torso(x)":
        parts.init.append("self.torso = nnx.Linear(2, 2, rngs=rngs)")
    if recipe.memory:
        parts.sinks.insert(0, "memory = 0.5 * memory + x\ny = y + memory")
    if slots:
        starts = {slot: start for slot, start, _ in slots}
        parts.members.append(_method("initialize_state", "batch_size", packed(structure, starts)))
        if structure.top:
            fields = "\n".join(f"{slot}: Any" for slot in names)
            parts.top.append(fill(structure.top, fields=fields))
    parts.members.append(_reset(recipe))
    rest = fill(
        role.text,
        calls=joined(*parts.calls),
        sinks=joined(*parts.sinks),
        late=joined(*parts.late),
        state=packed(structure, {slot: slot for slot in names}) if slots else "state",
        loss="loss" if any("loss" in sink for sink in parts.sinks) else "0.0",
        metrics="metrics" if any("metrics" in sink for sink in parts.sinks) else "{}",
    )
    body = joined(
        unpacked(structure, names, "state") if slots else "",
        f"y = {recipe.torso}",
        "loss = 0.0" if re.search(r"\bloss\b", rest) else "",
        "metrics = {}" if re.search(r"\bmetrics\b", rest) else "",
        *parts.advances,
        rest,
    )
    call = "def __call__(self, state, x, rollout_extras=None):\n" + indented(body)
    uses_streams = any("self.rngs" in text for text in (*parts.members, call))
    held = "self.rngs = rngs" if uses_streams else ""
    if "self.rngs =" in joined(*parts.init):
        held = ""
    init = _constructor([*parts.init, held], recipe.parameter)
    members = "\n\n".join(text for text in (init, *parts.members, call) if text)
    return f"class {name}({parts.base}):\n" + indented(members), parts


def _add(parts: _Parts, recipe: Recipe, n: int, is_sample: bool) -> None:
    """Adds a sample's texts to those of the module."""
    noise, number = recipe.noises[n], str(n)
    reach = REACHES[noise.reach]
    block, needed = _block(noise, n, reach)
    carried = noise.carried
    args = f"x, use{n}" if carried else "x"
    given = {
        "n": number,
        "block": block,
        "args": args,
        "keywords": ", ".join(f"{arg}={arg}" for arg in args.split(", ")),
        "init": joined(*needed) if reach.moved else "",
        "base": parts.base,
        "parameter": recipe.parameter,
        "h": _handle(noise, n),
    }
    parts.top.append(fill(reach.top, **given))
    parts.other.extend([fill(reach.other, **given)] if reach.other else [])
    parts.members.append(fill(reach.members, **given))
    parts.calls.append(fill(reach.call, **given))
    parts.base = fill(reach.base, **given) or parts.base
    own = [fill(reach.init, **given), *([] if reach.moved else needed)]
    parts.init.extend(own)
    if noise.held is not None and noise.held.top:
        parts_of_file = parts.other if reach.other and not reach.handle else parts.top
        parts_of_file.insert(0, noise.held.top)
    if carried is not None:
        names = {"k": f"key{n}", "u": f"use{n}", "n": number}
        parts.advances.append(fill(carried.before, **names))
        parts.late.append(fill(carried.after, **names))
        parts.init.append(fill(carried.init, **names))
    sink = SINKS[noise.sink]
    if not is_sample:
        parts.sinks.append(fill(sink.text, n=number))
        parts.init.append(sink.init)


def _block(noise: Noise, n: int, reach: Reach) -> tuple[str, list[str]]:
    """The statements of a sample, and those of the constructor that they need."""
    control = CONTROLS[noise.control]
    expr, before = reach.handle or _handle(noise, n), []
    needed = [control.init]
    if noise.held is not None:
        needed.insert(0, noise.held.init)
    for i, name in enumerate(noise.steps):
        step, mark = STEPS[name], f"{n}{i}"
        if step.before:
            before.append(fill(step.before, h=expr, i=mark))
        expr = fill(step.expr, h=expr, i=mark)
        needed.append(fill(step.init, i=mark))
    text = fill(control.text, before=joined(*before), noise=expr, n=str(n))
    return text.replace("self.", f"{reach.owner}."), needed


def _handle(noise: Noise, n: int) -> str:
    return f"use{n}" if noise.held is None else noise.held.handle


def _reset(recipe: Recipe) -> str:
    reset, structure = RESETS[recipe.reset], STRUCTURES[recipe.structure]
    if reset is None:
        return ""
    if reset.whole:
        return _method("reset_state", "prev_state", reset.whole)
    slots = list(recipe.slots())
    lines = [unpacked(structure, [slot for slot, _, _ in slots], "prev_state")]
    for slot, _, is_key in slots:
        change = reset.key if is_key else reset.memory if slot == MEMORY else ""
        if change:
            lines.append(f"{slot} = {change.replace('$k', slot)}")
    names = {slot: slot for slot, _, _ in slots}
    body = joined(*lines, f"return {packed(structure, names)}")
    return "def reset_state(self, prev_state):\n" + indented(body)


def _method(name: str, parameter: str, returned: str) -> str:
    return f"def {name}(self, {parameter}):\n" + indented(f"return {returned}")


def _constructor(statements: Iterable[str], parameter: str) -> str:
    lines = dict.fromkeys(line for text in statements for line in text.splitlines() if line)
    inner = sorted(lines, key=lambda line: "super()" not in line)
    return f"def __init__(self, {parameter}):\n" + indented("\n".join(inner) or "pass")


def joined_widely(*blocks: str) -> str:
    """Definitions with two empty lines between them."""
    return "\n\n\n".join(block.strip("\n") for block in blocks if block.strip("\n"))


def _file(name: str, text: str, files: Mapping[str, str], library: str) -> str:
    """A file with the imports that it needs."""
    lines = [
        line.replace("$library", library)
        for names, line in _IMPORTS.items()
        if re.search(rf"(?<![\w.'])({names})\b", text)
    ]
    for other, defined in files.items():
        found = re.findall(r"^(?:class|def) (\w+)|^([A-Z]+) =", defined, re.MULTILINE)
        wanted = [n for n in map("".join, found) if re.search(rf"\b{n}\b", text)]
        own = re.findall(r"^(?:class|def) (\w+)", text, re.MULTILINE)
        imported = [one for one in wanted if one not in own]
        if other != name and imported:
            lines.append(f"from {other} import {', '.join(imported)}")
    return "\n".join(lines) + "\n\n\n" + text + "\n"
