"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

DRAFT = ".part"


def remove_drafts(folder: Path) -> None:
    """Remove what processes that are no more have begun to write in the folder, at any depth."""
    for draft in folder.rglob(f".*{DRAFT}"):
        owner = draft.name.removesuffix(DRAFT).rpartition(".")[2]
        if owner.isdecimal() and not alive(int(owner)):
            draft.unlink(missing_ok=True)


def alive(process: int) -> bool:
    """Whether a process of that number runs on this machine."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def write_whole(path: Path, parts: Iterable[bytes]) -> None:
    """Write the file beside its place and move it there; a failure leaves nothing behind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}{DRAFT}")
    try:
        with draft.open("wb") as file:
            file.writelines(parts)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
