"""Work on one core, in a process of its own: decoding files of traces, and scoring their typed messages."""

import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.measure import cpu_of

if TYPE_CHECKING:
    from pipeline.traces.sources import Source


def told(work: str) -> None:
    """Print the seconds of CPU that the work takes on the folder that the command line names."""
    from pipeline.traces.sources import find

    sources = find([Path(sys.argv[1])])
    with tempfile.TemporaryDirectory() as out:
        works: dict[str, Callable[[Sequence[Source]], None]] = {
            "standard": standard,
            "objects": objects,
            "records": records,
            "scoring": partial(scoring, out=Path(out)),
        }
        # Once before: what is loaded on the first call is no part of it.
        works[work](sources[:4])
        print(cpu_of(lambda: works[work](sources)))


def standard(sources: "Sequence[Source]") -> None:
    """Decode every trace with Python's own json, and keep nothing."""
    import json

    from pipeline.traces.sources import texts

    for source in sources:
        for _, text in texts(source):
            json.loads(text if isinstance(text, bytes) else b"null")


def objects(sources: "Sequence[Source]") -> None:
    """Decode every trace to dictionaries and lists, and keep nothing."""
    import msgspec

    from pipeline.traces.sources import texts

    for source in sources:
        for _, text in texts(source):
            msgspec.json.decode(text if isinstance(text, bytes) else b"null")


def records(sources: "Sequence[Source]") -> None:
    """Decode every trace to the records that tables are made of, and keep nothing."""
    from pipeline.traces.sources import texts
    from pipeline.traces.traces import decode

    for source in sources:
        for _, text in texts(source):
            decode(text if isinstance(text, bytes) else b"null")


def scoring(sources: "Sequence[Source]", out: Path) -> None:
    """Every trace's four privacy tables, to Parquet."""
    from machine.processes import no_garbage_collection
    from pipeline.privacy.frames import PRIVACY

    with no_garbage_collection():
        # All rows are gone on its return: what looks for garbage afterwards does not meet them.
        _score(sources, out)
    assert set(PRIVACY) == {path.stem for path in out.glob("*.parquet")}


def _score(sources: "Sequence[Source]", out: Path) -> None:
    from pipeline.derive.rows import ingested_frames, read_traces
    from pipeline.privacy.frames import privacy_frames
    from pipeline.privacy.rules import RULES, Weighing
    from pipeline.tables import io
    from pipeline.tables.schemas.base import TABLES

    for rows, _ in read_traces(sources):
        frames = ingested_frames(rows)
        for name, frame in privacy_frames(frames, RULES["paper"], Weighing()).items():
            io.write_table(frame, TABLES[name], out, csv=False)
