"""Another implementation of keys, where a file chooses one whose draws depend on the batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from flake8_nnx_rng.codemod.proposal import Proposal, Safety
from flake8_nnx_rng.codemod.text.tree import Tree
from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.interpreter import chosen_implementations
from flake8_nnx_rng.knowledge.keys import INDEPENDENT
from flake8_nnx_rng.project import SourceFile
from flake8_nnx_rng.source import Edit, absolute

CODE = "NNX206"


def other_choices(file: SourceFile, findings: Sequence[Finding]) -> Iterator[Proposal]:
    """What to write where an implementation is named that findings are about."""
    about = {found.span: found for found in findings if found.code == CODE}
    if not about:
        return
    tree = Tree((file,))
    for chosen in chosen_implementations(file):
        node = chosen.site.node
        finding = about.get(file.positions.span(node))
        if finding is None or not isinstance(node, cst.SimpleString):
            continue
        start, end = tree.span(node)
        around = tree.around(node, cst.ClassDef)
        name = "" if around is None else tree.class_of(around).name
        edit = Edit(start, end, f"{node.prefix}{node.quote}{INDEPENDENT}{node.quote}")
        edits = {str(absolute(finding.path)): (edit,)}
        line = finding.span.line
        yield Proposal(finding.path, line, name, (CODE,), Safety.SAFE, "", edits, (finding,))
