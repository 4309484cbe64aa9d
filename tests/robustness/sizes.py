"""Code that nobody writes by hand, but generators and attackers do."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from support import PRELUDE

MEGABYTE = 1_000_000
DEEP, LONG = 5_000, 100_000
SHALLOW = 90
"""As deep as Python's own parser lets blocks nest, and brackets at least."""

NESTED = "nested too deeply"
BRACKETS = "too many nested parentheses"
INDENTED = "too many levels of indentation"
EITHER = "too "
"""Too deep for the parser of one version of Python, or parsed and then too deep for us."""

FOUND = "NNX101"
TOO_LONG = "its forward pass is too long"


def drawing(name: str, body: str, base: str = "StatefulModule", members: str = "") -> str:
    """A module that draws, after a body."""
    return f"""class {name}({base}):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

{members}
    def __call__(self, state, x, rollout_extras=None):
{textwrap.indent(body, 8 * " ")}
        return StatefulModuleOutput(state, x + self.rngs.normal(x.shape), 0.0, {{}})


"""


def expression(code: str) -> str:
    """A file with a module that evaluates an expression before it draws."""
    return PRELUDE + drawing("A", f"y = {code}\n")


@dataclass(frozen=True)
class Case:
    """A file and what must be said of it.

    Attributes:
        text: Makes the file.
        says: What `check -v` prints, or the error.
        fix: Whether it is planned too, and not only read.
    """

    text: Callable[[], str]
    says: str
    fix: bool = True


def _of_size(part: Callable[[int], str]) -> str:
    return "".join(part(number) for number in range(MEGABYTE // len(part(0))))


def _nested(head: str, count: int) -> str:
    lines = [" " * at + head.format(at) for at in range(count)]
    return PRELUDE + drawing("A", "\n".join([*lines, " " * count + "y = 1"]))


def _helpers(count: int, last: str) -> str:
    members = "".join(
        f"    def f{at}(self, x):\n        return self.f{at + 1}(x)\n\n" for at in range(count)
    )
    end = f"    def f{count}(self, x):\n        return {last}\n\n"
    return PRELUDE + drawing("A", "x = self.f0(x)", members=members + end)


def _chain(order: range) -> str:
    names = list(order)
    classes = {at: f"class C{at}(C{at - 1}): pass\n" for at in names}
    classes[0] = drawing("C0", "pass")
    return PRELUDE + "".join(classes[at] for at in names)


EXPRESSIONS: dict[str, tuple[Callable[[int], str], str]] = {
    "parentheses": (lambda n: "(" * n + "x" + ")" * n, BRACKETS),
    "lists": (lambda n: "[" * n + "x" + "]" * n, BRACKETS),
    "calls in calls": (lambda n: "f(" * n + "x" + ")" * n, BRACKETS),
    "calls": (lambda n: "x" + "()" * n, EITHER),
    "attributes": (lambda n: "x" + ".a" * n, EITHER),
    "methods": (lambda n: "x" + ".a(1)" * n, EITHER),
    "subscripts": (lambda n: "x" + "[0]" * n, EITHER),
    "signs": (lambda n: "-" * n + "x", EITHER),
    "negations": (lambda n: "not " * n + "x", EITHER),
    "functions": (lambda n: "lambda: " * n + "x", EITHER),
    "choices": (lambda n: "x if x else " * n + "x", EITHER),
    "generators": (lambda n: "[x " + "for x in x " * n + "]", EITHER),
}
"""What nests, and what is said of it if it is deep."""

CASES: dict[str, Case] = {
    **{
        f"{name}, {SHALLOW} deep": Case(lambda make=make: expression(make(SHALLOW)), FOUND)  # type: ignore[misc]
        for name, (make, _) in EXPRESSIONS.items()
    },
    **{
        f"{name}, {DEEP} deep": Case(lambda make=make: expression(make(DEEP)), says)  # type: ignore[misc]
        for name, (make, says) in EXPRESSIONS.items()
    },
    "ifs, 90 deep": Case(lambda: _nested("if x:", SHALLOW), FOUND),
    "ifs, 5000 deep": Case(lambda: _nested("if x:", DEEP), INDENTED),
    "functions in functions, 90 deep": Case(lambda: _nested("def f{}():", SHALLOW), FOUND),
    "functions in functions, 5000 deep": Case(lambda: _nested("def f{}():", DEEP), INDENTED),
    "5000 times elif": Case(
        lambda: PRELUDE + drawing("A", "if x: pass\n" + "elif x: y = 1\n" * DEEP), EITHER
    ),
    "100,000 terms": Case(lambda: expression(" + ".join(["x"] * LONG)), EITHER),
    "100,000 conditions": Case(lambda: expression(" and ".join(["x"] * LONG)), NESTED),
    "100,000 strings in a row": Case(lambda: expression("'' " * LONG), NESTED),
    "an import of 5000 parts": Case(
        lambda: PRELUDE + "import a" + ".a" * DEEP + "\n" + drawing("A", "pass"), NESTED
    ),
    "100,000 comparisons": Case(lambda: expression(" < ".join(["x"] * LONG)), TOO_LONG, False),
    "100,000 elements": Case(lambda: expression(f"[{'x, ' * LONG}]"), TOO_LONG, False),
    "100,000 arguments": Case(lambda: expression(f"f({'x, ' * LONG})"), TOO_LONG, False),
    "100,000 keys": Case(
        lambda: expression("{" + "".join(f"{at}: x, " for at in range(LONG)) + "}"), TOO_LONG, False
    ),
    "2000 draws in a list": Case(
        lambda: expression(f"[{'self.rngs.normal(), ' * 2_000}]"), FOUND, False
    ),
    "a megabyte of classes": Case(
        lambda: PRELUDE + _of_size(lambda at: drawing(f"C{at:04}", "pass")), FOUND, False
    ),
    "a method of a megabyte": Case(
        lambda: PRELUDE + drawing("A", _of_size(lambda at: f"x = x * {at + 10_000} + 1.0\n")),
        TOO_LONG,
    ),
    "a comment of a megabyte": Case(
        lambda: PRELUDE + drawing("A", "pass") + "# " + "a" * MEGABYTE, FOUND
    ),
    "a million blank lines": Case(
        lambda: PRELUDE + drawing("A", "pass") + "\n" * MEGABYTE + "x = 1\n", FOUND, False
    ),
    "a string of a megabyte": Case(lambda: expression(repr("a" * MEGABYTE)), FOUND),
    "5000 classes, each derived from the one before": Case(
        lambda: _chain(range(DEEP)), FOUND, False
    ),
    "1000 classes, each derived from the one after": Case(
        lambda: _chain(range(999, -1, -1)), FOUND, False
    ),
    "bases in a circle": Case(
        lambda: (
            PRELUDE
            + "class A(B, StatefulModule): pass\nclass B(A): pass\n"
            + drawing("C", "pass", "A, B")
        ),
        FOUND,
    ),
    "a ladder of 60 diamonds": Case(
        lambda: (
            PRELUDE
            + "class C0(StatefulModule): pass\n"
            + "".join(
                f"class L{at}(C{at}): pass\nclass R{at}(C{at}): pass\n"
                f"class C{at + 1}(L{at}, R{at}): pass\n"
                for at in range(60)
            )
            + drawing("E", "pass", "C60")
        ),
        FOUND,
    ),
    "1000 helpers, one calling the other": Case(
        lambda: _helpers(1_000, "self.rngs.normal()"), FOUND, False
    ),
    "1000 helpers in a circle": Case(lambda: _helpers(1_000, "self.f0(x)"), FOUND, False),
    "helpers that are called twice each, 60 times": Case(
        lambda: (
            PRELUDE
            + drawing(
                "A",
                "x = self.f0(x)",
                members="".join(
                    f"    def f{at}(self, x):\n"
                    f"        return self.f{at + 1}(x) + self.f{at + 1}(-x)\n\n"
                    for at in range(60)
                )
                + "    def f60(self, x):\n        return x\n\n",
            )
        ),
        TOO_LONG,
    ),
    "loops in loops": Case(
        lambda: (
            PRELUDE
            + drawing(
                "A",
                "".join(" " * at + f"for i{at} in range(3):\n" for at in range(40))
                + " " * 40
                + "x = x + self.rngs.normal()",
            )
        ),
        TOO_LONG,
    ),
    "values that grow": Case(
        lambda: PRELUDE + drawing("A", "y = (x,)\n" + "y = (y, y)\n" * 200), FOUND
    ),
}
"""By name."""
