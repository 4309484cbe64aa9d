"""The pipeline from a document to findings."""

from __future__ import annotations

import sys

import libcst as cst
import pytest
from support import PRELUDE, findings_of, marked, module, reported

from flake8_nnx_rng.lint import NOT_ANALYSED, STACK, Settings, lint
from flake8_nnx_rng.source import Document, SourceError

NOISY = """
    class Noisy(StatefulModule):
        def __init__(self, rngs: nnx.Rngs):
            self.rngs = rngs

        def __call__(self, state, x, rollout_extras=None):
            return StatefulModuleOutput(state, x + self.rngs.normal(x.shape), 0.0, {})  # NNX101
"""


def _lint(text: str, settings: Settings | None = None) -> list[str]:
    """Line and text of every finding in a file."""
    findings = lint(Document("a.py", text), None, settings)
    return [f"{finding.span.line}: {finding.text}" for finding in findings]


@pytest.mark.parametrize(
    ("subclasses", "ending"),
    [
        (0, "in the state"),
        (1, "in the state (and 1 more class)"),
        (3, "in the state (and 3 more classes)"),
    ],
)
def test_a_place_is_reported_once_however_many_subclasses_reach_it(
    subclasses: int, ending: str
) -> None:
    names = "".join(f"\nclass Sub{n}(Noisy):\n    pass\n" for n in range(subclasses))
    (finding,) = lint(Document("module.py", module(NOISY) + names))
    assert finding.code == "NNX101"
    assert finding.message.startswith("Noisy.__call__ ")
    assert finding.message.endswith(ending)


def test_a_place_that_one_class_reaches_in_several_ways_is_one_finding_of_one_class() -> None:
    (finding,) = findings_of("""
        class Noisy(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs

            def __call__(self, state, x, rollout_extras=None):
                y = self._noise(x) + self._again(x)
                return StatefulModuleOutput(state, y, 0.0, {})

            def _again(self, x):
                return self._noise(x)

            def _noise(self, x):
                return self.rngs.normal(x.shape)
    """)
    assert "more class" not in finding.message


def test_findings_are_sorted_by_place_whatever_the_order_of_classes_and_rules() -> None:
    snippet = """
        class Second(StatefulModule):
            def __call__(self, state, x, rollout_extras=None):
                return StatefulModuleOutput(state, x + noise(x), 0.0, {})

        class First(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs

            def __call__(self, state, x, rollout_extras=None):
                x = x + np.random.normal(size=3) + self.rngs.normal()  # NNX107 NNX101
                return StatefulModuleOutput(state, x + noise(x), 0.0, {})

        def noise(x):
            return jax.random.normal(jax.random.key(0), x.shape)  # NNX106
    """
    findings = findings_of(snippet)
    assert [finding.code for finding in findings] == ["NNX107", "NNX101", "NNX106"]
    assert findings == sorted(findings)
    assert reported(snippet) == marked(snippet)
    assert findings[-1].message.endswith("(and 1 more class)")


@pytest.mark.parametrize(
    ("head", "base", "named"),
    [
        ("import acme", "acme.Layer", "acme.Layer"),
        ("from .layers import Layer", "Layer", ".layers.Layer"),
        ("", "make(StatefulModule)", "make(StatefulModule)"),
        ("from acme import A, B", "A, B", "acme.A, acme.B"),
    ],
)
def test_a_base_that_cannot_be_found_is_said_at_the_name_of_the_class(
    head: str, base: str, named: str
) -> None:
    text = f"{PRELUDE}{head}\nclass Noisy({base}):\n    def __call__(self, x): ...\n"
    (finding,) = lint(Document("a.py", text))
    line = text.splitlines()[finding.span.line - 1]
    assert line[finding.span.column : finding.span.end_column] == "Noisy"
    assert finding.text == (
        f"NNX900 Noisy was not analysed: its base {named} cannot be found; "
        "name it with --nnx-rng-base if it is one"
    )


def test_a_class_of_an_unknown_base_that_cannot_be_called_is_left_alone() -> None:
    text = f"{PRELUDE}import acme\nclass Data(acme.Layer):\n    def f(self): ...\n"
    assert _lint(text) == []


def test_a_named_base_is_analysed_though_nothing_else_in_the_file_matters() -> None:
    text = (
        "from flax import nnx\nimport acme\n\n"
        "class Noisy(acme.Layer):\n"
        "    def __init__(self, rngs: nnx.Rngs):\n"
        "        self.rngs = rngs\n"
        "    def __call__(self, state, x):\n"
        "        return x + self.rngs.normal(x.shape)\n"
    )
    assert _lint(text) == []
    (line,) = _lint(text, Settings(bases=("acme.Layer",)))
    assert line.startswith("8: NNX101 ")
    assert _lint(text, Settings(samplers=("other.Layer",)))[0].startswith("4: NNX900 ")


@pytest.mark.parametrize("name", ["nnx_ppo.new.layers.Layer", "nnx_ppo.Layer"])
def test_a_base_of_the_library_may_be_named_by_its_module_or_without(name: str) -> None:
    text = module(NOISY).replace("(StatefulModule)", "(Layer)")
    text = f"from nnx_ppo.new.layers import Layer\n{text}"
    assert [line.split()[1] for line in _lint(text)] == [NOT_ANALYSED]
    assert [line.split()[1] for line in _lint(text, Settings(bases=(name,)))] == ["NNX101"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("types import StatefulModule, ", "types import *  # ", id="star import"),
        pytest.param("class Noisy(", "class StatefulModule(", id="name of the base"),
    ],
)
def test_a_base_is_found_however_its_name_is_bound(before: str, after: str) -> None:
    assert before in module(NOISY)
    (line,) = _lint(module(NOISY).replace(before, after))
    assert " NNX101 " in line


def test_a_file_that_nests_too_deeply_is_said_with_its_line() -> None:
    text = module(NOISY) + "\n\nTOTAL = (\n" + "    1 +\n" * 600 + "    1\n)\n"
    (line,) = _lint(text)
    number, _, message = line.partition(": ")
    assert message == "NNX900 the file was not analysed: nested too deeply; split the expression"
    assert "1 +" in text.splitlines()[int(number) - 1] or "TOTAL" in text.splitlines()[int(number)]


def test_a_forward_pass_that_is_too_long_is_said_and_what_was_seen_is_still_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = "\n".join("        x = x + self.rngs.normal()" for _ in range(2))
    text = module(NOISY).replace("        return", f"{body}\n        return")
    assert len(_lint(text)) == 3
    seen = set()
    for steps in range(100):
        monkeypatch.setattr("flake8_nnx_rng.interpreter.engine.MAX_STEPS", steps)
        lines = _lint(text)
        said = [line for line in lines if NOT_ANALYSED in line]
        seen.add((len(said), len(lines) - len(said)))
        assert all(line.endswith("not analysed: its forward pass is too long") for line in said)
        if not said:
            break
    assert {(1, 0), (1, 1), (0, 3)} <= seen
    assert (0, 2) not in seen


def test_a_class_whose_analysis_runs_out_of_stack_is_said_and_the_others_are_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from flake8_nnx_rng.interpreter import Audit, Auditor
    from flake8_nnx_rng.project import ClassInfo

    real = Auditor.audit

    def audit(auditor: Auditor, cls: ClassInfo) -> Audit:
        if cls.name == "Deep":
            raise RecursionError
        return real(auditor, cls)

    monkeypatch.setattr(Auditor, "audit", audit)
    text = module(NOISY) + "\nclass Deep(Noisy):\n    pass\n"
    first, second = _lint(text)
    assert "NNX101 Noisy" in first
    assert second.endswith("NNX900 Deep was not analysed: its code nests too deeply")


def test_the_recursion_limit_is_raised_for_the_analysis_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from flake8_nnx_rng.interpreter import Auditor

    seen: list[int] = []

    def audit(*_: object) -> object:
        seen.append(sys.getrecursionlimit())
        raise RecursionError

    monkeypatch.setattr(Auditor, "audit", audit)
    before = sys.getrecursionlimit()
    assert len(_lint(module(NOISY))) == 1
    assert seen == [max(before, STACK)]
    assert sys.getrecursionlimit() == before


def test_syntax_that_libcst_does_not_know_is_said_with_its_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(text: str) -> cst.Module:
        raise cst.ParserSyntaxError("", lines=["x"] * 9, raw_line=4, raw_column=0)

    monkeypatch.setattr(cst, "parse_module", fail)
    (line,) = _lint(module(NOISY))
    assert line.startswith("4: NNX900 the file was not analysed: a.py:4: libcst cannot parse")


def test_text_that_is_not_python_is_refused_if_it_could_matter() -> None:
    with pytest.raises(SourceError, match=r"^a\.py:2: syntax error"):
        _lint("# nnx_ppo\ndef f(:\n")
    assert _lint("def f(:\n") == []


@pytest.mark.parametrize("depth", [5, 60, 120])
def test_code_that_nests_deeply_but_not_too_deeply_is_analysed(depth: int) -> None:
    nested = "jnp.abs(" * depth + "self.rngs.normal(x.shape)" + ")" * depth
    text = module(NOISY).replace("self.rngs.normal(x.shape)", nested)
    (line,) = _lint(text)
    assert " NNX101 " in line


@pytest.mark.parametrize(
    "text",
    [
        "import os\nclass A(B):\n    def __call__(self): ...\n",
        "# nnx_ppo\nclass A:\n    def __call__(self): ...\n",
        "# nnx_ppo\n",
        "",
    ],
    ids=["no marker", "no base", "no class", "empty"],
)
def test_a_file_that_cannot_matter_has_no_findings(text: str) -> None:
    assert _lint(text) == []
