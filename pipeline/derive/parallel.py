"""Traces to all tables: chunks of traces on all cores, then each table merged in the order of its key."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine.files import held_origins, visible_files, write_manifest
from machine.process_pool import Run
from machine.processes import cores, cpu_budget, no_garbage_collection
from machine.stores import is_url
from pipeline.behaviour.phrases import Thresholds
from pipeline.behaviour.tables import BEHAVIOUR_TABLES, behaviour_frames
from pipeline.derive.rows import Rejection, duplicate, ingested_frames, read_traces, rejection, unexpected_failure
from pipeline.privacy.evidence import PRIVACY_TABLES, privacy_frames
from pipeline.privacy.rules import RULES, RuleSet, Weighing
from pipeline.tables.schemas.base import REJECTED, TABLES
from pipeline.tables.shards import (
    CLUSTER_CAPACITY,
    Shards,
    game_ranges,
    merge_partitioned_table,
    merge_table,
    publish,
    scratch_folder,
    shard_path,
    table_executor,
    write_shards,
)
from pipeline.traces import limits
from pipeline.traces.ingest import Rows, no_rows
from pipeline.traces.sources import Source, find_sources, is_pack, local_files, read_texts, split_pack

if TYPE_CHECKING:
    import polars as pl

Progress = Callable[[int, int], None]

CHUNK_FILES, CHUNK_BYTES = 512, 128_000_000
# The least bytes of a pack's piece, and the most pieces: each piece unpacks all that comes before it.
PIECE_BYTES, MOST_PIECES = 500_000, 16
# The first shard of chunk i has the number i * SHARDS_PER_CHUNK.
SHARDS_PER_CHUNK = 1_000_000
# A message that is probably English: it does not start as a protocol's JSON does.
ENGLISH = re.compile(rb'"content": ?"[^{"]')


@dataclass(frozen=True)
class Recipe:
    """What to derive: rules of evidence, weights of slots, limits of behaviour.

    privacy: also the tables of privacy and behaviour. csv: CSV beside Parquet. partition: Parquet alone, in folders by
    team and condition.
    """

    rules: RuleSet = RULES["paper"]
    weighing: Weighing = field(default_factory=Weighing)
    limits: Thresholds = field(default_factory=Thresholds)
    privacy: bool = True
    csv: bool = True
    partition: bool = False


@dataclass(frozen=True)
class ShardResult:
    """What came of a batch of traces.

    number: of its shards. files: how many files it read to their ends. games: (game_id, trace_path) of its games.
    """

    number: int
    files: int
    games: tuple[tuple[str, str], ...]
    rejected: tuple[Rejection, ...]


@dataclass(frozen=True)
class Derived:
    """How many games were derived, the rejected traces, and each table's shape by its name."""

    games: int
    rejected: tuple[Rejection, ...]
    shapes: dict[str, dict[str, Any]]


def derive(
    inputs: Sequence[Path | str],
    out: Path,
    recipe: Recipe | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Derived:
    """Derive the recipe's tables from the traces in files, folders and URLs, and write them to the folder `out`.

    All tables appear at the end, when all went well; otherwise those in `out` stay as they were. `progress` is called
    with (files read, files in all). Raises FileNotFoundError for an input that does not exist.
    """
    return derive_sources(find_sources(inputs), out, recipe, workers, progress)


def derive_sources(
    sources: Sequence[Source],
    out: Path,
    recipe: Recipe | None = None,
    workers: int | str | None = None,
    progress: Progress | None = None,
    made_by: str | None = None,
) -> Derived:
    """`derive` for sources. `workers` may also be the address of a cluster's scheduler. made_by: the command that a
    manifest beside the tables names; none without.

    Raises OSError where files can't be written, WorkerDied, ClusterError, and Unreachable where a store is lost.
    """
    most = CLUSTER_CAPACITY if isinstance(workers, str) else workers or cores()
    split = split_large_packs(sources, most)
    processes = min(most, max(1, len(split)))
    executors = workers if isinstance(workers, str) else processes
    recipe, progress = recipe or Recipe(), progress or (lambda done, total: None)
    if executors != 1 and recipe.privacy:
        _load_before_fork(split)
    made_from = {"traces": local_files(sources)} if made_by else {}
    with scratch_folder(out) as scratch:
        with held_origins(made_from) as origins, table_executor(executors) as run:
            shards = derive_shards(split_into_chunks(split, processes), scratch, recipe, run, progress)
            if len(split) > len(sources) and _has_bad_pack(shards, split):
                shards = derive_shards(split_into_chunks(sources, processes), scratch, recipe, run, progress)
            derived = merge_shards(shards, scratch, finished := scratch / "finished", recipe, run)
        if made_by:
            write_manifest(finished, made_by, visible_files(finished), origins)
        publish(finished, out)
        return derived


def _load_before_fork(sources: Sequence[Source]) -> None:
    """Import the parser of messages and, if the first trace has English, compile its patterns, for forked workers to
    inherit."""
    import pipeline.privacy.language.messages  # noqa: F401
    from pipeline.privacy.language.scan import scanner

    first = next((text for s in sources[:1] if not is_url(s.name) for _, text in read_texts(s)), b"")
    if isinstance(first, bytes) and ENGLISH.search(first):
        scanner().compile_all()


def split_large_packs(sources: Sequence[Source], workers: int) -> list[Source]:
    """The sources in order, with large packs in pieces, so that no worker is busy with one when the others are done."""
    share = max(PIECE_BYTES, -(-sum(source.size for source in sources) // min(workers, MOST_PIECES)))
    return [piece for s in sources for piece in (split_pack(s, -(-s.size // share)) if is_pack(s) and s.size else [s])]


def _has_bad_pack(shards: Sequence[ShardResult], split: Sequence[Source]) -> bool:
    """Whether a split pack has more bad lines than limits.BAD_LINES: only reading it whole shows where to stop."""
    rejected = {*_first_traces(shards)[1], *(rejection for shard in shards for rejection in shard.rejected)}
    bad = Counter(rejection.path.rpartition("#")[0] for rejection in rejected)
    return any(bad[source.display_name] > limits.BAD_LINES for source in split if source.last is not None)


def split_into_chunks(sources: Sequence[Source], workers: int) -> list[list[Source]]:
    """The sources in order, in chunks that keep all workers busy and memory low."""
    rounds = max(2, -(-len(sources) // (CHUNK_FILES * workers)))
    most = max(1, -(-len(sources) // (rounds * workers)))
    chunks: list[list[Source]] = []
    size = 0
    for source in sources:
        if not chunks or len(chunks[-1]) >= most or size + source.size > CHUNK_BYTES:
            chunks.append([])
            size = 0
        chunks[-1].append(source)
        size += source.size
    return chunks


def derive_shards(
    chunks: Sequence[Sequence[Source]], scratch: Path, recipe: Recipe, run: Run, progress: Progress
) -> list[ShardResult]:
    """Derive every chunk, and return the results of all batches in the order of the chunks."""
    total, done = sum(map(_files, chunks)), 0
    shards: list[ShardResult] = []
    progress(0, total)
    calls = [(number, chunk, scratch, recipe) for number, chunk in enumerate(chunks)]
    for _, results in run(derive_chunk, calls):
        shards += results
        done += sum(shard.files for shard in results)
        progress(done, total)
    return sorted(shards, key=lambda shard: shard.number)


def derive_chunk(number: int, sources: Sequence[Source], scratch: Path, recipe: Recipe) -> list[ShardResult]:
    """Derive the tables of chunk number `number`, and write their shards to the scratch folder."""
    with no_garbage_collection():
        # Separate function: its rows are freed when it returns, before garbage collection resumes and traverses them.
        return _derive_batches(number, sources, scratch, recipe)


def _derive_batches(number: int, sources: Sequence[Source], scratch: Path, recipe: Recipe) -> list[ShardResult]:
    shards: list[ShardResult] = []
    for rows, rejected in read_traces(sources):
        frames, failed = derive_frames(rows, recipe)
        shard = number * SHARDS_PER_CHUNK + len(shards)
        if frames:
            write_shards(frames, scratch, shard)
        lost = {path for path, _, _ in failed}
        games = tuple((row.game_id, row.trace_path) for row in rows["games"] if row.trace_path not in lost)
        shards.append(ShardResult(shard, 0 if shards else _files(sources), games, (*rejected, *failed)))
    return shards


def _files(sources: Sequence[Source]) -> int:
    """How many files the sources end: a pack in pieces ends with its last one."""
    return sum(source.last is None for source in sources)


def derive_frames(rows: Rows, recipe: Recipe) -> tuple[dict[str, "pl.DataFrame"], list[Rejection]]:
    """The recipe's tables of ingested rows, each as `io.conform` returns it, and the games that could not be derived.

    All games are tried together, and one by one where that fails or takes long.
    """
    from polars.exceptions import PanicException

    try:
        with cpu_budget(limits.CPU_SECONDS + limits.USUAL_CPU_SECONDS * len(rows["games"])):
            return _frames(rows, recipe), []
    except (Exception, PanicException):
        good, failed = no_rows(), []
    for game in rows["games"]:
        own = {table: [row for row in group if row.game_id == game.game_id] for table, group in rows.items()}
        try:
            with cpu_budget(limits.CPU_SECONDS):
                _frames(own, recipe)
        except (Exception, PanicException) as error:
            failed.append(rejection(game.trace_path, unexpected_failure(error)))
        else:
            for table, group in own.items():
                good[table] += group
    return _frames(good, recipe), failed


def _frames(rows: Rows, recipe: Recipe) -> dict[str, "pl.DataFrame"]:
    from pipeline.tables import io

    if not rows["games"]:
        return {}
    frames = ingested_frames(rows)
    if recipe.privacy:
        frames |= privacy_frames(frames, recipe.rules, recipe.weighing)
        frames |= behaviour_frames(frames, recipe.limits)
    return {name: io.conform(frame, TABLES[name]) for name, frame in frames.items()}


def merge_shards(results: Sequence[ShardResult], scratch: Path, out: Path, recipe: Recipe, run: Run) -> Derived:
    """Write each table to the folder `out` from its shards, in parallel."""
    first, repeats = _first_traces(results)
    rejected = sorted({*repeats, *(rejection for result in results for rejection in result.rejected)})
    numbers = tuple(result.number for result in results if result.games)
    repeated = {result.number: tuple(g for g, _ in result.games if first[g][0] != result.number) for result in results}
    shards = Shards(scratch, numbers, repeated, game_ranges(sorted(first)))
    names = [name for name in largest_first() if recipe.privacy or name not in (*PRIVACY_TABLES, *BEHAVIOUR_TABLES)]
    calls: list[tuple[Any, ...]] = [(_write_rejected, rejected, out, recipe.csv)]
    for name in names:
        call = (TABLES[name], shards, out)
        calls.append((merge_partitioned_table, *call) if recipe.partition else (merge_table, *call, recipe.csv))
    shapes = {}
    for _, shape in run(_write, calls):
        shapes[shape["table"]] = shape
        if not recipe.partition:
            for number in numbers:  # frees the disk for the tables to come
                shard_path(scratch, shape["table"], number).unlink(missing_ok=True)
    return Derived(len(first), tuple(rejected), {name: shapes[name] for name in TABLES if name in shapes})


def largest_first() -> list[str]:
    """The tables that are merged from shards, the largest first, so that no core is left with one at the end."""
    large = ["belief_evidence", "messages", "pair_round_vps"]
    return large + [name for name in TABLES if name not in (*large, REJECTED.name)]


def _first_traces(shards: Sequence[ShardResult]) -> tuple[dict[str, tuple[int, str]], list[Rejection]]:
    """game_id → (shard, path) of its first trace; and a rejection for every other trace of the same game."""
    first: dict[str, tuple[int, str]] = {}
    repeats: list[Rejection] = []
    for shard in shards:
        for game, path in shard.games:
            if first.setdefault(game, (shard.number, path))[1] != path:
                error = duplicate(first[game][1])
                repeats.append(Rejection(path, error.reason, error.place))
    return first, repeats


def _write(write: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Call a function that writes a table, in a worker: it has Polars loaded already."""
    return write(*arguments)


def _write_rejected(rejected: Sequence[Rejection], out: Path, csv: bool) -> dict[str, Any]:
    from pipeline.tables import io

    return io.write_table(io.to_frame(REJECTED, rejected), REJECTED, out, csv)
