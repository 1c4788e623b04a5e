"""Deriving from many files: chunks of traces on all cores, then each table put together in the order of its key.

Workers leave sorted parts in a scratch folder beside the tables, so that memory does not grow with the study, and
parts are merged by ranges of game_id. What is written depends on the traces alone, not on chunks or workers.
"""

import gc
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.derive import Rejection, derive_frames, duplicate, read_traces
from pipeline.rules import RULES, Weighing
from pipeline.schemas import REJECTED, TABLES, Table
from pipeline.sources import Source, find

if TYPE_CHECKING:
    import polars as pl

Progress = Callable[[int, int], None]

CHUNK_FILES = 128
CHUNK_BYTES = 32_000_000
GAMES_AT_ONCE = 2048


@dataclass(frozen=True)
class Part:
    """What one chunk of files gave: its number, its games and their traces, and what it rejected."""

    number: int
    files: int
    games: tuple[tuple[str, str], ...]
    rejected: tuple[Rejection, ...]


@dataclass(frozen=True)
class Derived:
    """What was derived: how many games, what was rejected, and each table's shape."""

    games: int
    rejected: tuple[Rejection, ...]
    shapes: dict[str, dict[str, Any]]


def derive(
    inputs: Sequence[Path],
    out: Path,
    rules: str = "paper",
    weighing: Weighing | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Derived:
    """Write every table of the traces in the files and folders given to `out`, as Parquet and CSV.

    `progress` is called with (files read, files in all). Raises FileNotFoundError for an input that does not exist.
    """
    sources = find(inputs)
    workers = min(workers or os.cpu_count() or 1, max(1, len(sources)))
    tell = progress or (lambda done, total: None)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".parts-", dir=out) as scratch, executor(workers) as pool:
        parts = read_parts(chunks(sources, workers), Path(scratch), rules, weighing or Weighing(), pool, tell)
        return assemble(parts, Path(scratch), out, pool)


def chunks(sources: Sequence[Source], workers: int) -> list[list[Source]]:
    """The sources in order, in chunks small enough to keep all workers busy and memory low."""
    most = max(1, min(CHUNK_FILES, -(-len(sources) // (2 * workers))))
    made: list[list[Source]] = []
    size = 0
    for source in sources:
        if not made or len(made[-1]) >= most or size + source.size > CHUNK_BYTES:
            made.append([])
            size = 0
        made[-1].append(source)
        size += source.size
    return made


@contextmanager
def executor(workers: int) -> Iterator[Executor | None]:
    """A pool of fresh processes, or None where one process does the work."""
    if workers == 1:
        yield None
        return
    # Polars' threads don't survive a fork.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_prepare, initargs=(workers,)) as pool:
        yield pool


def _prepare(workers: int) -> None:
    """Share the cores out between the workers, before polars starts its threads."""
    os.environ.setdefault("POLARS_MAX_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))


def read_parts(
    made: Sequence[Sequence[Source]],
    scratch: Path,
    rules: str,
    weighing: Weighing,
    pool: Executor | None,
    progress: Progress,
) -> list[Part]:
    """Every chunk's part, in the order of the chunks."""
    total, done = sum(map(len, made)), 0
    parts: list[Part] = []
    calls = [(number, chunk, scratch, rules, weighing) for number, chunk in enumerate(made)]
    for part in _each(derive_chunk, calls, pool):
        parts.append(part)
        done += part.files
        progress(done, total)
    return sorted(parts, key=lambda part: part.number)


def _each(work: Callable[..., Any], calls: Sequence[tuple[Any, ...]], pool: Executor | None) -> Iterator[Any]:
    """What `work` returns for each call's arguments, as they finish."""
    if pool is None:
        yield from (work(*arguments) for arguments in calls)
    else:
        for future in as_completed([pool.submit(work, *arguments) for arguments in calls]):
            yield future.result()


def derive_chunk(number: int, sources: Sequence[Source], scratch: Path, rules: str, weighing: Weighing) -> Part:
    """Derive one chunk's tables and leave each, sorted by its key, in the scratch folder."""
    from pipeline import io

    with _no_garbage_collection():
        rows, rejected = read_traces(sources)
        games = tuple((row[0], row[1]) for row in rows["games"])
        for name, frame in derive_frames(rows, RULES[rules], weighing).items() if games else ():
            io.write_part(frame, TABLES[name], _part_path(scratch, name, number))
    return Part(number, len(sources), games, tuple(rejected))


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Rows are millions of tuples without cycles: looking through them for garbage costs a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _part_path(scratch: Path, table: str, number: int) -> Path:
    return scratch / f"{table}.{number:05d}.arrow"


def assemble(parts: Sequence[Part], scratch: Path, out: Path, pool: Executor | None) -> Derived:
    """Put the parts of each table together, and write it."""
    first, repeated = _first_tellers(parts)
    rejected = sorted({*repeated, *(rejection for part in parts for rejection in part.rejected)})
    ranges = _ranges(sorted(first))
    numbers = tuple(part.number for part in parts if part.games)
    unwanted = {part.number: tuple(g for g, _ in part.games if first[g][0] != part.number) for part in parts}
    calls = [(TABLES[name], numbers, unwanted, ranges, scratch, out) for name in _largest_first()]
    shapes = {shape["table"]: shape for shape in _each(assemble_table, calls, pool)}
    shapes[REJECTED.name] = _write_rejected(rejected, out)
    return Derived(len(first), tuple(rejected), {name: shapes[name] for name in TABLES})


def _largest_first() -> list[str]:
    """The tables whose parts workers leave, in the order that keeps all cores busy."""
    large = ["belief_evidence", "messages", "pair_round_vps"]
    return large + [name for name in TABLES if name not in (*large, REJECTED.name)]


def _first_tellers(parts: Sequence[Part]) -> tuple[dict[str, tuple[int, str]], list[Rejection]]:
    """For each game the part and trace that told of it first, and a rejection for every other trace of it."""
    first: dict[str, tuple[int, str]] = {}
    repeated: list[Rejection] = []
    for part in parts:
        for game, path in part.games:
            if first.setdefault(game, (part.number, path))[1] != path:
                error = duplicate(first[game][1])
                repeated.append(Rejection(path, error.reason, error.place))
    return first, repeated


def _ranges(games: Sequence[str]) -> list[tuple[str, str]]:
    """First and last game_id of each run of games that is written at once."""
    runs = [games[i : i + GAMES_AT_ONCE] for i in range(0, len(games), GAMES_AT_ONCE)]
    return [(run[0], run[-1]) for run in runs]


def assemble_table(
    table: Table,
    numbers: Sequence[int],
    unwanted: dict[int, tuple[str, ...]],
    ranges: Sequence[tuple[str, str]],
    scratch: Path,
    out: Path,
) -> dict[str, Any]:
    """Write one table from its parts, a range of games at a time, and return its shape."""
    from pipeline import io

    frames = [_wanted(io.map_part(_part_path(scratch, table.name, n)), unwanted[n]) for n in numbers]
    return io.write_parts((_range(frames, span) for span in ranges), table, out)


def _wanted(frame: "pl.DataFrame", unwanted: tuple[str, ...]) -> "pl.DataFrame":
    """A part without the games that an earlier part has told of."""
    import polars as pl

    return frame.filter(~pl.col("game_id").is_in(unwanted)) if unwanted else frame


def _range(frames: Sequence["pl.DataFrame"], span: tuple[str, str]) -> "pl.DataFrame":
    """The rows of sorted parts for the games from the first to the last of a span."""
    import polars as pl

    cuts = []
    for frame in frames:
        games = frame["game_id"]
        cuts.append(frame[games.search_sorted(span[0], "left") : games.search_sorted(span[1], "right")])
    return pl.concat(cuts)


def _write_rejected(rejected: Sequence[Rejection], out: Path) -> dict[str, Any]:
    from pipeline import io

    return io.write_table(io.to_frame(REJECTED, rejected), REJECTED, out)
