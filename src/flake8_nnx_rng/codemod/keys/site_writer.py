"""Writes what draws, so that it draws with the keys that it has now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.codemod.envs.per_env import PerEnv, SharedError
from flake8_nnx_rng.codemod.keys.children import layer_call
from flake8_nnx_rng.codemod.keys.consumers import Consumers
from flake8_nnx_rng.codemod.keys.faults import Form, Site
from flake8_nnx_rng.codemod.keys.hosts import host_draw
from flake8_nnx_rng.codemod.keys.needs import Threads
from flake8_nnx_rng.codemod.keys.openings import folded_key
from flake8_nnx_rng.interpreter import Audit

_FLOAT = "builtins.float"


@dataclass(frozen=True)
class SiteWriter:
    """Writes sites.

    Attributes:
        per_env: Writes draws per env.
        consumers: Writes what takes keys.
        threads: Which keys they have.
        audits: Know which layers draw.
    """

    per_env: PerEnv
    consumers: Consumers
    threads: Threads
    audits: Sequence[Audit]

    def write(self, site: Site) -> None:
        """Writes a site."""
        keys = self._keys(site.node)
        is_row = self.consumers.weaver.is_row(site.node)
        if site.form is Form.KEY:
            self._replace(site.node, keys)
            return
        assert isinstance(site.node, cst.Call)
        writers = {
            Form.LAYER: self._write_layer,
            Form.METHOD: self._write_method,
            Form.HOST: self._write_host,
        }
        writers[site.form](site.node, keys, is_row)

    def _write_layer(self, node: cst.Call, keys: str, is_row: bool) -> None:
        self._replace(node, layer_call(node, keys, self.per_env, self.audits, is_row))

    def _write_method(self, node: cst.Call, keys: str, is_row: bool) -> None:
        assert isinstance(node.func, cst.Attribute)
        name = node.func.attr.value
        function = f"{self.per_env.jax}.random.{name}"
        if is_row:
            given = ", ".join([keys, *(self.per_env.text(arg) for arg in node.args)])
            self._replace(node, f"{function}({given})")
        else:
            self.consumers.draw(node, name, function, node.args, keys)

    def _write_host(self, node: cst.Call, keys: str, is_row: bool) -> None:
        jax = self.per_env.jax
        written = host_draw(self.per_env, node)
        whole = self._converted(node)
        if is_row:
            self._replace(whole, written.row(jax, keys))
            return
        try:
            self._replace(whole, written.batch(jax, keys))
        except SharedError:
            self.consumers.lift(whole, lambda k: written.row(jax, k), keys)

    def _converted(self, node: cst.Call) -> cst.Call:
        """The call with a conversion to a Python number around it, which an array does not need."""
        tree = self.per_env.rows.tree
        arg = tree.parent(node)
        call = tree.parent(arg) if isinstance(arg, cst.Arg) else None
        if isinstance(call, cst.Call) and tree.canonical(call.func) == _FLOAT:
            return call
        return node

    def _keys(self, node: cst.CSTNode) -> str:
        jax, name = self.per_env.jax, self.threads.keys[node][0]
        folded = self.threads.folded.get(node)
        if folded is None:
            return name
        return folded_key(name, folded, jax, is_row=self.consumers.weaver.is_row(node))

    def _replace(self, node: cst.CSTNode, text: str) -> None:
        self.per_env.sheet.replace(*self.per_env.rows.tree.span(node), text)
