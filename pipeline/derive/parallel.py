"""Traces to all tables: chunks of traces on all cores, then each table merged in the order of its key."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine.manifests import held_origins, listed_names, manifest_path, visible_files, write_manifest
from machine.marks import begun
from machine.process_pool import Run
from machine.processes import cores, cpu_budget, no_garbage_collection
from machine.stores import is_url
from pipeline.behaviour.patterns import Thresholds
from pipeline.derive.rows import (
    Rejection,
    duplicate,
    ingested_frames,
    read_traces,
    rejection,
    split_into_chunks,
    split_large_packs,
    unexpected_failure,
    with_inputs,
)
from pipeline.privacy.rules import RULES, RuleSet, Weighing
from pipeline.tables.schemas.base import REJECTED, ROOMS, TABLES
from pipeline.tables.shards import (
    CLUSTER_CAPACITY,
    Shards,
    game_ranges,
    largest_first,
    merge_partitioned_table,
    merge_table,
    publish,
    scratch_folder,
    shard_path,
    table_executor,
    table_files,
    write_shards,
)
from pipeline.traces import limits
from pipeline.traces.ingest import Rows, no_rows
from pipeline.traces.sources import Source, find_sources, local_files, read_texts

if TYPE_CHECKING:
    import polars as pl

Progress = Callable[[int, int], None]

# The first shard of chunk i has the number i * SHARDS_PER_CHUNK.
SHARDS_PER_CHUNK = 1_000_000
# A message that is probably English: it does not start as a protocol's JSON does.
ENGLISH = re.compile(rb'"content": ?"[^{"]')


@dataclass(frozen=True)
class Recipe:
    """What to derive: rules of evidence, weights of slots, limits of behaviour.

    tables: those that are written, beside `games` and `rejected`; nothing is made that none of them needs. csv,
    parquet: in which forms. partition: Parquet alone, in folders by team and condition.
    """

    rules: RuleSet = RULES["paper"]
    weighing: Weighing = field(default_factory=Weighing)
    limits: Thresholds = field(default_factory=Thresholds)
    tables: tuple[str, ...] = tuple(name for tables in ROOMS.values() for name in tables)
    csv: bool = True
    parquet: bool = True
    partition: bool = False

    @cached_property
    def made(self) -> frozenset[str]:
        """The tables that are made: those to be written, and what they are made from."""
        return with_inputs({*self.tables, "games"})

    @property
    def rules_name(self) -> str:
        """By which strengths of typed messages, and by which reading of English."""
        return f"{self.rules.name}, {self.rules.english}"

    @property
    def written(self) -> frozenset[str]:
        """The tables that are written, but for `rejected`."""
        return frozenset({*self.tables, "games"})


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
    if executors != 1 and "messages" in recipe.made:
        _load_before_fork(split)
    made_from = {"traces": local_files(sources)} if made_by else {}
    with scratch_folder(out) as scratch:
        with held_origins(made_from) as origins, table_executor(executors) as run:
            shards = derive_shards(split_into_chunks(split, processes), scratch, recipe, run, progress)
            if len(split) > len(sources) and _has_bad_pack(shards, split):
                shards = derive_shards(split_into_chunks(sources, processes), scratch, recipe, run, progress)
            derived = merge_shards(shards, scratch, finished := scratch / "finished", recipe, run)
        if made_by:
            write_manifest(finished, made_by, visible_files(finished), origins | {"rules": recipe.rules_name})
        before = manifest_path(out, made_by or "")
        earlier = listed_names(before.read_bytes()) if before.is_file() else ()
        with begun(out, made_by, table_files(TABLES)) if made_by else nullcontext():
            publish(finished, out, earlier)
        return derived


def _load_before_fork(sources: Sequence[Source]) -> None:
    """Import the parser of messages and, if the first trace has English, compile its patterns, for forked workers to
    inherit."""
    import pipeline.privacy.language.messages  # noqa: F401
    from pipeline.privacy.language.scan import scanner

    first = next((text for s in sources[:1] if not is_url(s.name) for _, text in read_texts(s)), b"")
    if isinstance(first, bytes) and ENGLISH.search(first):
        scanner().compile_all()


def _has_bad_pack(shards: Sequence[ShardResult], split: Sequence[Source]) -> bool:
    """Whether a split pack has more bad lines than limits.BAD_LINES: only reading it whole shows where to stop."""
    rejected = {*_first_traces(shards)[1], *(rejection for shard in shards for rejection in shard.rejected)}
    bad = Counter(rejection.path.rpartition("#")[0] for rejection in rejected)
    return any(bad[source.display_name] > limits.BAD_LINES for source in split if source.last is not None)


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
    for rows, rejected in read_traces(sources, recipe.made):
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
        good, failed = no_rows(rows), []
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
    from pipeline.behaviour.tables import behaviour_frames
    from pipeline.privacy.evidence import privacy_frames
    from pipeline.tables import io

    if not rows["games"]:
        return {}
    frames = ingested_frames(rows)
    frames |= privacy_frames(frames, recipe.rules, recipe.weighing, recipe.made)
    frames |= behaviour_frames(frames, recipe.limits, recipe.made)
    return {name: io.conform(frames[name], TABLES[name]) for name in recipe.written}


def merge_shards(results: Sequence[ShardResult], scratch: Path, out: Path, recipe: Recipe, run: Run) -> Derived:
    """Write each table to the folder `out` from its shards, in parallel."""
    first, repeats = _first_traces(results)
    rejected = sorted({*repeats, *(rejection for result in results for rejection in result.rejected)})
    numbers = tuple(result.number for result in results if result.games)
    repeated = {result.number: tuple(g for g, _ in result.games if first[g][0] != result.number) for result in results}
    shards = Shards(scratch, numbers, repeated, game_ranges(sorted(first)))
    forms = (recipe.csv, recipe.parquet)
    calls: list[tuple[Any, ...]] = [(_write_rejected, rejected, out, *forms)]
    for name in sorted(recipe.written, key=largest_first):
        call = (TABLES[name], shards, out)
        calls.append((merge_partitioned_table, *call) if recipe.partition else (merge_table, *call, *forms))
    shapes = {}
    for _, shape in run(_write, calls):
        shapes[shape["table"]] = shape
        if not recipe.partition:
            for number in numbers:  # frees the disk for the tables to come
                shard_path(scratch, shape["table"], number).unlink(missing_ok=True)
    return Derived(len(first), tuple(rejected), {name: shapes[name] for name in TABLES if name in shapes})


def _first_traces(shards: Sequence[ShardResult]) -> tuple[dict[str, tuple[int, str]], list[Rejection]]:
    """game_id → (shard, path) of its first trace; and a rejection for every other trace of the same game."""
    first: dict[str, tuple[int, str]] = {}
    repeats: list[Rejection] = []
    for shard in shards:
        for game, path in shard.games:
            if first.setdefault(game, (shard.number, path)) != (shard.number, path):
                error = duplicate(first[game][1])
                repeats.append(Rejection(path, error.reason, error.place))
    return first, repeats


def _write(write: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Call a function that writes a table, in a worker: it has Polars loaded already."""
    return write(*arguments)


def _write_rejected(rejected: Sequence[Rejection], out: Path, csv: bool, parquet: bool) -> dict[str, Any]:
    from pipeline.tables import io

    return io.write_table(io.to_frame(REJECTED, rejected), REJECTED, out, csv, parquet)
