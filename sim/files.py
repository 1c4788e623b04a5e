"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from machine.locks import locked
from machine.processes import alive

DRAFT = ".part"


class InUse(Exception):
    """A folder that another run is writing to."""


@contextmanager
def held_alone(folder: Path) -> Iterator[None]:
    """Keep the folder, made if need be, to this process until the end, even a sudden one.

    Raises InUse where another holds it. On a disk without locks, go on without.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as lock:
        try:
            lock.enter_context(locked(folder, wait=False))
        except BlockingIOError as error:
            raise InUse(f"{folder}: another run is writing there; wait for its end, or name another folder") from error
        except OSError:
            pass  # a disk without locks
        yield


def remove_drafts(folder: Path, deep: bool = True) -> None:
    """Remove what processes that are no more have begun to write in the folder; deep: in all folders in it, too."""
    for draft in folder.glob(f"{'**/' if deep else ''}.*{DRAFT}"):
        owner = draft.name.removesuffix(DRAFT).rpartition(".")[2]
        if owner.isdecimal() and not alive(int(owner)):
            draft.unlink(missing_ok=True)


def write_whole(path: Path | str, parts: Iterable[bytes]) -> None:
    """Write the file beside its place and move it there, or send it to its URL; a failure leaves nothing behind.

    Raises OSError, naming the file, where it can't be written.
    """
    if isinstance(path, str):
        from sim.remote import put

        put(path, parts)
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}{DRAFT}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            file.writelines(parts)
        draft.replace(path)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        draft.unlink(missing_ok=True)
