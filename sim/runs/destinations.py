"""Where traces go: a folder or a pack, on this machine or in an object store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path

from machine.files import exclusive_access, output_destination, remove_drafts
from machine.stores import check_writable
from sim.game.trace import PACK_SUFFIX

# Names of files that are no folder's: what would be played into one would lie beside the file.
FILES = (".json", ".jsonl", ".zst", ".gz", ".csv", ".txt", ".parquet")


class NoDestination(Exception):
    """Somewhere that no trace can go: in plain words, with what to do."""


def destination_of(out: str) -> Path | str:
    """A path of this machine, or the URL of a folder or pack. Raises NoDestination."""
    try:
        place = output_destination(out)
    except ValueError as error:
        raise NoDestination(str(error)) from error
    if isinstance(place, str):
        if find_spec("obstore") is None:
            raise NoDestination(f"{out}: obstore is not installed; install calbench-lab[cluster]")
        if place.endswith(FILES) and not is_pack(place):
            raise NoDestination(f"{out} is called as a file is; name a folder, or a pack, {PACK_SUFFIX}")
    return place


def is_pack(place: Path | str) -> bool:
    """Whether all traces go to one file."""
    return str(place).endswith(PACK_SUFFIX)


@contextmanager
def alone(place: Path | str) -> Iterator[None]:
    """Keep other runs out of the folder of traces, and remove what killed ones left there half-written.

    Packs appear whole, side by side: of two runs that write the same one, the last one's stays. So does each trace in a
    store, which has no locks and nothing half-written. Raises InUse, and Unreachable where nothing can be written.
    """
    packed = is_pack(place)
    if isinstance(place, str):
        check_writable(place, is_file=packed)
        yield
        return
    with nullcontext() if packed else exclusive_access(place):
        remove_drafts(place.parent if packed else place, deep=not packed)
        yield
