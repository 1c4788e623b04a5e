"""A kernel for notebooks that owes nothing to its user or machine: no port, no settings or history of theirs."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from traitlets.config import Config

SOCKET_CHARS = 90  # of a socket's path: systems take 103 or 107, and a number follows


@contextmanager
def kernel() -> Iterator["Config"]:
    """Settings for papermill's kernel, which live, with an environment to match, as long as the block runs.

    The kernel listens on sockets in a folder of its own. Where that folder's path is too long for a socket it listens
    on this machine's ports, and encrypts.
    """
    from traitlets.config import Config

    with TemporaryDirectory(prefix="kernel-") as folder, _environment(folder), _unheard():
        socket = str(Path(folder) / "k")
        if len(socket.encode()) <= SOCKET_CHARS:
            yield Config({"KernelManager": {"transport": "ipc", "ip": socket}})
        else:
            yield Config({"KernelManager": {"transport_encryption": "auto"}})


@contextmanager
def _unheard() -> Iterator[None]:
    """Let processes that start in the block say nothing on this terminal: what a cell says is in the notebook, and
    what libraries say when a kernel ends after an error is nobody's concern."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@contextmanager
def _environment(folder: str) -> Iterator[None]:
    """The variables that keep a user's own kernels, start-up files and settings out, for as long as the block runs."""
    ours = {
        "IPYTHONDIR": folder,
        "JUPYTER_RUNTIME_DIR": folder,
        "JUPYTER_PREFER_ENV_PATH": "1",
        "PYTHONSTARTUP": "",
        "PYTHONHASHSEED": "0",  # an order that hangs on hashes is at least the same twice
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # the kernel's debugger warns of frozen modules
    }
    theirs = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name, value in theirs.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
