"""Traces to rows, and rows to the tables of what happened."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from pipeline.tables.schemas.base import TABLES
from pipeline.traces import limits
from pipeline.traces.ingest import Rows, ingest, no_rows
from pipeline.traces.sources import Source, texts
from pipeline.traces.traces import TraceError, decode

if TYPE_CHECKING:
    import polars as pl

Frames = dict[str, "pl.DataFrame"]


class Rejection(NamedTuple):
    """A trace that could not be used."""

    path: str
    reason: str
    place: str


def rejection(path: str, error: TraceError) -> Rejection:
    """The rejection of a trace, cut to what a table needs."""
    return Rejection(path, error.reason[: limits.REASON_CHARS], error.place[: limits.REASON_CHARS])


def read_traces(sources: Iterable[Source]) -> Iterator[tuple[Rows, list[Rejection]]]:
    """The rows of every trace that can be read, and the rejections, in batches that memory can hold.

    Of traces with one game_id the first is read. Rows come in the order of their games, which spares sorting tables.
    """
    games, rejected, size = dict[str, Rows](), list[Rejection](), 0
    seen: dict[str, str] = {}
    for source in sources:
        bad = 0
        for path, text in texts(source):
            try:
                rows = _read(path, text, seen)
                games[rows["games"][0].game_id] = rows
                size += len(text) if isinstance(text, bytes) else 0
            except TraceError as error:
                rejected.append(rejection(path, error))
                bad += 1
            if size >= limits.BATCH_BYTES:
                yield _in_order(games), rejected
                games, rejected, size = {}, [], 0
            if bad > limits.BAD_LINES:
                reason = f"more than {limits.BAD_LINES} of its traces are rejected; what follows was not read"
                rejected.append(Rejection(source.shown, reason, path.removeprefix(source.shown)))
                break
    yield _in_order(games), rejected


def _in_order(games: dict[str, Rows]) -> Rows:
    """The rows of all games, in the order of their names."""
    rows = no_rows()
    for game in sorted(games):
        for table, more in games.pop(game).items():
            rows[table] += more
    return rows


def _read(path: str, text: bytes | TraceError, seen: dict[str, str]) -> Rows:
    if isinstance(text, TraceError):
        raise text
    try:
        trace = decode(text)
        if trace.game_id in seen:
            raise duplicate(seen[trace.game_id])
        rows = ingest(trace, path)
    except TraceError:
        raise
    except Exception as error:
        raise unforeseen(error) from error
    seen[trace.game_id] = path
    return rows


def unforeseen(error: BaseException) -> TraceError:
    """The rejection of a trace that the pipeline stumbles over: one game must not end the others."""
    return TraceError(f"cannot be derived: {type(error).__name__}: {error}")


def duplicate(first: str) -> TraceError:
    """The rejection of a game that another trace was read of already."""
    return TraceError(f"its game was read already from {first}", ".game_id")


def ingested_frames(rows: Rows) -> Frames:
    """The tables of what happened from ingested rows; `rejected` is left to the caller."""
    from pipeline.tables import io

    return {name: io.to_frame(TABLES[name], listed) for name, listed in rows.items()}
