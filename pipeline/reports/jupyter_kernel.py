"""A Jupyter kernel that is independent of user and machine: no port, none of their settings or history."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from traitlets.config import Config

SOCKET_CHARS = 90  # longest path of a socket: systems take 103 or 107, and a number is appended


@contextmanager
def isolated_kernel() -> Iterator["Config"]:
    """Settings for papermill's kernel, valid with their environment as long as the block runs.

    The kernel listens on sockets in a temporary folder; where that folder's path is too long for a socket, on this
    machine's ports, encrypted.
    """
    from traitlets.config import Config

    with TemporaryDirectory(prefix="calbench-") as place, _environment(place), _silent_stderr():
        folder = Path(place)
        socket, kept = str(folder / "k"), {"connection_file": str(folder / "kernel.json")}
        if len(socket.encode()) <= SOCKET_CHARS:
            yield Config({"KernelManager": {"transport": "ipc", "ip": socket} | kept})
        else:
            yield Config({"KernelManager": {"transport_encryption": "auto"} | kept})


@contextmanager
def _silent_stderr() -> Iterator[None]:
    """Silence stderr of processes that start in the block: cells' output is in the notebook, the rest is the kernel's
    log when it ends after an error."""
    stderr, devnull = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(devnull, 2)
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(devnull)


@contextmanager
def _environment(folder: str) -> Iterator[None]:
    """Set the variables that keep out a user's own kernels, start-up files and settings, while the block runs."""
    settings = {
        "IPYTHONDIR": folder,
        "JUPYTER_RUNTIME_DIR": folder,
        "JUPYTER_PREFER_ENV_PATH": "1",
        "PYTHONSTARTUP": "",
        "PYTHONHASHSEED": "0",  # what depends on the order of hashes repeats
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # the kernel's debugger warns of frozen modules
    }
    previous = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in previous.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
