"""Checks a module from a shell: `python -m nnx_ppo_ref.oracle package.module:factory`.

Exit status 0 if what was asked for holds, 1 if something is broken, 2 if the check could not start.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from nnx_ppo_ref.oracle.checking import check
from nnx_ppo_ref.oracle.report import OBSERVABLES

REMEDY = "write it as package.module:name"


class BadInputError(Exception):
    """Something in the command line is wrong; the message says what and what to do."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status.

    Args:
        arguments: The command line without the program's name; that of the process if None.
    """
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except BadInputError as error:
        print(f"nnx_ppo_ref.oracle: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m nnx_ppo_ref.oracle",
        description="Runs a module as PPO does and reports whether its rollout can be replayed.",
    )
    parser.add_argument(
        "module", help="package.module:name of a module or of a function that makes one"
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--input-shape",
        metavar="N[,N...]",
        help="shape of one observation without a batch, such as 4 or 8,8,3",
    )
    source.add_argument(
        "--input",
        metavar="NAME",
        help="package.module:name of an observation, or of a function that makes one",
    )
    parser.add_argument(
        "--observable",
        action="append",
        choices=OBSERVABLES,
        help="what must hold; may be given several times; all if left out",
    )
    parser.add_argument("--batch-size", type=int, default=7, help="environments of the rollout")
    parser.add_argument("--steps", type=int, default=6, help="steps of the rollout")
    parser.add_argument("--seed", type=int, default=0, help="for random observations")
    return parser


def _run(options: argparse.Namespace) -> int:
    module, sample = _load(options.module), _sample(options)
    try:
        report = check(
            module,
            sample,
            batch_size=options.batch_size,
            steps=options.steps,
            seed=options.seed,
        )
    except Exception as error:  # making the module, or its first state, may raise anything
        first = (str(error).strip() or "no message").splitlines()[0]
        raise BadInputError(
            f"{options.module} cannot be checked: {type(error).__name__}: {first}"
        ) from error
    print(report)
    wanted = options.observable or OBSERVABLES
    return int(not set(wanted).isdisjoint(report.failed))


def _sample(options: argparse.Namespace) -> Any:
    if options.input is not None:
        found = _load(options.input)
        return found() if callable(found) and not hasattr(found, "shape") else found
    if options.input_shape is None:
        raise BadInputError("no observation: give --input-shape 4 or --input package.module:name")
    try:
        shape = tuple(int(size) for size in options.input_shape.split(",") if size.strip())
    except ValueError:
        shape = (-1,)
    if any(size < 1 for size in shape):
        raise BadInputError(
            f"--input-shape {options.input_shape!r} is no shape: give positive numbers, as in 8,8,3"
        )
    return jax.ShapeDtypeStruct(shape, np.float32)


def _load(name: str) -> Any:
    """An object by the name of its module and its own."""
    path, colon, attributes = name.partition(":")
    if not (path and colon and attributes):
        raise BadInputError(f"{name!r} names no object: {REMEDY}")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(path)
    except Exception as error:  # importing runs the file
        raise BadInputError(f"cannot import {path!r}: {type(error).__name__}: {error}") from error
    for attribute in attributes.split("."):
        try:
            found = getattr(found, attribute)
        except AttributeError:
            raise BadInputError(
                f"{path!r} has no {attributes!r}: give the name of something that is in it"
            ) from None
    return found


if __name__ == "__main__":
    sys.exit(main())
