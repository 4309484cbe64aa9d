"""An editor that talks to python-lsp-server shows the findings."""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pylsp_jsonrpc.streams import (  # type: ignore[import-untyped]
    JsonRpcStreamReader,
    JsonRpcStreamWriter,
)

from .conftest import BASE, COLUMN, DRAW, FAULTY, LINE, OF_UNKNOWN_BASE, SOUND

Message = dict[str, Any]

PATIENCE = 120
"""Seconds that an editor waits for one message."""


class Editor:
    """As much of an editor as it takes to show one server's diagnostics."""

    def __init__(self, server: subprocess.Popen[bytes]) -> None:
        self._server = server
        self._writer = JsonRpcStreamWriter(server.stdin)
        self._received: queue.Queue[Message | None] = queue.Queue()
        self._requests = 0
        threading.Thread(target=self._read, daemon=True).start()

    def notify(self, method: str, **params: Any) -> None:
        """Sends what needs no answer."""
        self._writer.write({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, **params: Any) -> None:
        """Sends a request and waits until it is granted."""
        self._requests += 1
        number = self._requests
        self._writer.write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        answer = self._receive(lambda m: "method" not in m and m.get("id") == number)
        assert "error" not in answer, answer

    def diagnostics(self, path: Path, wanted: Callable[[list[Message]], bool]) -> list[Message]:
        """Waits until the diagnostics that are shown for a file are as wanted."""

        def shows(message: Message) -> bool:
            if message.get("method") != "textDocument/publishDiagnostics":
                return False
            params = message["params"]
            return params["uri"] == path.as_uri() and wanted(params["diagnostics"])

        found: list[Message] = self._receive(shows)["params"]["diagnostics"]
        return found

    def close(self) -> None:
        """Ends the server as the protocol has it."""
        self.request("shutdown")
        self.notify("exit")
        assert self._server.wait(PATIENCE) == 0

    def _read(self) -> None:
        JsonRpcStreamReader(self._server.stdout).listen(self._received.put)
        self._received.put(None)

    def _receive(self, wanted: Callable[[Message], bool]) -> Message:
        deadline = time.monotonic() + PATIENCE
        passed: list[Message] = []
        while True:
            try:
                message = self._received.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"the server has sent only {passed}") from None
            assert message is not None, f"the server has ended after {passed}"
            if wanted(message):
                return message
            passed.append(message)


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    """An editor on a project, with python-lsp-server running its flake8 and no other linter."""
    executable = shutil.which("flake8", path=sysconfig.get_path("scripts"))
    assert executable is not None
    linters = {name: {"enabled": False} for name in ("pycodestyle", "pyflakes", "mccabe")}
    flake8 = {"enabled": True, "executable": executable, "select": ["NNX"]}
    settings = {"pylsp": {"plugins": {**linters, "flake8": flake8}}}
    with (
        Path(tmp_path, "pylsp.log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-m", "pylsp"],
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        ) as server,
    ):
        try:
            editor = Editor(server)
            editor.request(
                "initialize", processId=os.getpid(), rootUri=tmp_path.as_uri(), capabilities={}
            )
            editor.notify("initialized")
            editor.notify("workspace/didChangeConfiguration", settings=settings)
            yield editor
            editor.close()
        finally:
            server.kill()


def _open(editor: Editor, path: Path, text: str) -> None:
    """Opens a file that is on disk."""
    path.write_text(text, encoding="utf-8")
    document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
    editor.notify("textDocument/didOpen", textDocument=document)


def _save(editor: Editor, path: Path, text: str, version: int) -> None:
    """Replaces the text of an open file and saves it."""
    editor.notify(
        "textDocument/didChange",
        textDocument={"uri": path.as_uri(), "version": version},
        contentChanges=[{"text": text}],
    )
    path.write_text(text, encoding="utf-8")
    editor.notify("textDocument/didSave", textDocument={"uri": path.as_uri()})


def _start(line: int) -> Message:
    """Where the draw stands, counted from 0 as the protocol does."""
    return {"line": line - 1, "character": COLUMN - 1}


def test_the_finding_appears_and_goes_with_the_fault(editor: Editor, tmp_path: Path) -> None:
    """On opening and on every save, at the draw."""
    path = tmp_path / "noisy.py"
    _open(editor, path, FAULTY)
    _save(editor, path, FAULTY, version=2)
    (shown,) = editor.diagnostics(path, bool)
    assert (shown["source"], shown["code"]) == ("flake8", "NNX101")
    assert shown["range"]["start"] == _start(LINE)
    assert shown["range"]["end"]["line"] == LINE - 1
    assert DRAW.removesuffix("()") in shown["message"]

    _save(editor, path, SOUND, version=3)
    assert editor.diagnostics(path, lambda shown: not shown) == []

    _save(editor, path, f"\n{FAULTY}", version=4)
    (shown,) = editor.diagnostics(path, bool)
    assert shown["range"]["start"] == _start(LINE + 1)


def test_the_configuration_of_the_project_counts(editor: Editor, tmp_path: Path) -> None:
    """The server runs flake8 in the root of the project."""
    (tmp_path / ".flake8").write_text(f"[flake8]\nnnx-rng-base = {BASE}\n", encoding="utf-8")
    path = tmp_path / "layers" / "noisy.py"
    path.parent.mkdir()
    _open(editor, path, OF_UNKNOWN_BASE)
    (shown,) = editor.diagnostics(path, bool)
    assert (shown["code"], shown["range"]["start"]) == ("NNX101", _start(LINE + 1))
