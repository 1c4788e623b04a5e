"""Traces to rows, and rows to the tables of what happened."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from pipeline.ingest import Rows, ingest, no_rows
from pipeline.schemas import TABLES
from pipeline.sources import Source, texts
from pipeline.traces import TraceError, decode

if TYPE_CHECKING:
    import polars as pl

Frames = dict[str, "pl.DataFrame"]


class Rejection(NamedTuple):
    """A trace that could not be used."""

    path: str
    reason: str
    place: str


def read_traces(sources: Iterable[Source]) -> tuple[Rows, list[Rejection]]:
    """The rows of every trace that can be read, and the rejections; of traces with one game_id the first is read."""
    rows = no_rows()
    rejected: list[Rejection] = []
    seen: dict[str, str] = {}
    for source in sources:
        for path, text in texts(source):
            try:
                read = _read(path, text, seen)
            except TraceError as error:
                rejected.append(Rejection(path, error.reason, error.place))
                continue
            for table, more in read.items():
                rows[table].extend(more)
    return rows, rejected


def _read(path: str, text: bytes | TraceError, seen: dict[str, str]) -> Rows:
    if isinstance(text, TraceError):
        raise text
    trace = decode(text)
    if trace.game_id in seen:
        raise duplicate(seen[trace.game_id])
    rows = ingest(trace, path)
    seen[trace.game_id] = path
    return rows


def duplicate(first: str) -> TraceError:
    """The rejection of a game that another trace has told of already."""
    return TraceError(f"its game was read already from {first}", ".game_id")


def ingested_frames(rows: Rows) -> Frames:
    """The tables of what happened from ingested rows; `rejected` is left to the caller."""
    from pipeline import io

    return {name: io.to_frame(TABLES[name], listed) for name, listed in rows.items()}
