"""Sources in batches, traces to rows, rows to the tables of what happened; which tables others are made from."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from machine.cores import OverBudget, cpu_budget
from pipeline.tables.schemas.base import MADE_FROM, TABLES
from pipeline.traces import limits
from pipeline.traces.ingest import TABLES as INGESTED
from pipeline.traces.ingest import Rows, ingest, no_rows
from pipeline.traces.sources import Source, is_pack, read_texts, split_pack
from pipeline.traces.trace import TraceError, decode_trace

if TYPE_CHECKING:
    import polars as pl

Frames = dict[str, "pl.DataFrame"]

BATCH_FILES = 512
BATCH_BYTES = 128_000_000
# Compressed bytes for which one more worker is worth its start; bytes of JSON that compress to one.
BYTES_A_WORKER, PLAIN_TO_PACKED = 1_500_000, 20
# The least bytes of a pack's piece, and the most pieces: each piece unpacks all that comes before it.
PIECE_BYTES = 500_000
MOST_PIECES = 16


def with_inputs(tables: Iterable[str]) -> frozenset[str]:
    """The tables and all that they are made from, by their names."""
    names = frozenset(tables)
    return names.union(*(with_inputs(MADE_FROM.get(name, ())) for name in names))


def worth_of_workers(sources: Iterable[Source]) -> int:
    """How many workers have so much to do that they are worth their start, which takes as long as a megabyte."""
    packed = sum(s.size if s.name.endswith((".gz", ".zst")) else s.size // PLAIN_TO_PACKED for s in sources)
    return max(1, packed // BYTES_A_WORKER)


def split_large_packs(sources: Sequence[Source], workers: int) -> list[Source]:
    """The sources in order, with large packs in pieces, so that no worker is busy with one when the others are done."""
    share = max(PIECE_BYTES, -(-sum(source.size for source in sources) // min(workers, MOST_PIECES)))
    return [piece for s in sources for piece in (split_pack(s, -(-s.size // share)) if is_pack(s) and s.size else [s])]


def split_into_batches(sources: Sequence[Source], workers: int) -> list[list[Source]]:
    """The sources in order, in batches that keep all workers busy and memory low."""
    rounds = max(2, -(-len(sources) // (BATCH_FILES * workers)))
    most = max(1, -(-len(sources) // (rounds * workers)))
    batches: list[list[Source]] = []
    size = 0
    for source in sources:
        if not batches or len(batches[-1]) >= most or size + source.size > BATCH_BYTES:
            batches.append([])
            size = 0
        batches[-1].append(source)
        size += source.size
    return batches


class Rejection(NamedTuple):
    """A trace that could not be used: its path, why, and where in the file."""

    path: str
    reason: str
    place: str


def rejection(path: str, error: TraceError) -> Rejection:
    """The row of `rejected` for a trace, its texts cut to limits.REASON_CHARS."""
    return Rejection(path, error.reason[: limits.REASON_CHARS], error.place[: limits.REASON_CHARS])


def read_traces(
    sources: Iterable[Source], tables: Collection[str] = INGESTED
) -> Iterator[tuple[Rows, list[Rejection]]]:
    """(rows of the tables, rejections) of all traces, in batches of some limits.BATCH_BYTES of JSON.

    Of several traces with the same game_id the first counts. Rows are sorted by game_id, so tables need no sorting.
    """
    games, rejected, size = dict[str, Rows](), list[Rejection](), 0
    seen: dict[str, str] = {}
    for source in sources:
        bad = 0
        for path, text in read_texts(source):
            try:
                rows = _ingest_text(path, text, seen, tables)
                games[rows["games"][0].game_id] = rows
                size += len(text) if isinstance(text, bytes) else 0
            except TraceError as error:
                rejected.append(rejection(path, error))
                bad += 1
            if size >= limits.BATCH_BYTES:
                yield _sorted_rows(games, tables), rejected
                games, rejected, size = {}, [], 0
            if bad > limits.BAD_LINES:
                reason = f"more than {limits.BAD_LINES} of its traces are rejected; what follows was not read"
                rejected.append(Rejection(source.display_name, reason, path.removeprefix(source.display_name)))
                break
    yield _sorted_rows(games, tables), rejected


def _sorted_rows(games: dict[str, Rows], tables: Collection[str]) -> Rows:
    """The rows of all games, sorted by game_id. Empties `games`."""
    rows = no_rows(tables)
    for game in sorted(games):
        for table, own in games.pop(game).items():
            rows[table] += own
    return rows


def _ingest_text(path: str, text: bytes | TraceError, seen: dict[str, str], tables: Collection[str]) -> Rows:
    """The rows of one trace. `seen` maps game_id to trace_path of those read before. Raises TraceError."""
    if isinstance(text, TraceError):
        raise text
    try:
        with cpu_budget(limits.CPU_SECONDS):
            trace = decode_trace(text)
            if trace.game_id in seen:
                raise duplicate(seen[trace.game_id])
            rows = ingest(trace, path, tables)
    except TraceError:
        raise
    except Exception as error:
        raise unexpected_failure(error) from error
    seen[trace.game_id] = path
    return rows


def unexpected_failure(error: BaseException) -> TraceError:
    """The error of a trace that holds or takes too much, or on which the pipeline itself fails: other games go on."""
    if isinstance(error, TraceError):
        return error
    if isinstance(error, OverBudget):
        return TraceError(f"takes {error}")
    return TraceError(f"cannot be derived: {type(error).__name__}: {error}")


def duplicate(first: str) -> TraceError:
    """The error of a trace whose game was read already, from the trace at `first`."""
    return TraceError(f"its game was read already from {first}", ".game_id")


def ingested_frames(rows: Rows) -> Frames:
    """Table → frame of its ingested rows, with the columns that TABLES declares."""
    from pipeline.tables import io

    return {name: io.to_frame(TABLES[name], group) for name, group in rows.items()}
