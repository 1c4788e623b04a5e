"""Traces to all tables: batches of files on all cores, then each table put together in the order of its key."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine.cores import Workers, cores, cpu_budget, map_unordered, no_garbage_collection
from machine.manifests import held_origins
from machine.output import Staged, staged, staged_files
from pipeline.behaviour.patterns import Thresholds
from pipeline.derive.rows import (
    Rejection,
    duplicate,
    ingested_frames,
    read_traces,
    rejection,
    split_into_batches,
    split_large_packs,
    unexpected_failure,
    with_inputs,
    worth_of_workers,
)
from pipeline.privacy.rules import RULES, RuleSet, Weighing
from pipeline.tables.hive import write_partitions
from pipeline.tables.parts import put_together, remove_games, write_parts
from pipeline.tables.schemas.base import REJECTED, ROOMS, TABLES
from pipeline.traces import limits
from pipeline.traces.ingest import Rows, no_rows
from pipeline.traces.sources import Source, find_sources, local_files

if TYPE_CHECKING:
    import polars as pl

Progress = Callable[[int, int], None]

# The command, as its manifest names it.
DERIVE = "derive"
# The first part of batch i has the number i * PARTS_PER_BATCH.
PARTS_PER_BATCH = 1_000_000
# Workers of a cluster come and go: batches are small enough for so many.
CLUSTER_CAPACITY = 64


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
    def written(self) -> frozenset[str]:
        """The tables that are written, but for `rejected`."""
        return frozenset({*self.tables, "games"})


@dataclass(frozen=True)
class Part:
    """What came of some traces.

    number: of their part. files: how many files it read to their ends. games: (game_id, trace_path) of its games.
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
    """Derive the recipe's tables from the traces in files, folders and URLs, and write them to the folder `out`, where
    they replace files of their names.

    All tables appear at the end, when all went well; otherwise those in `out` stay as they were. `progress` is called
    with (files read, files in all). Raises FileNotFoundError for an input that does not exist, and what
    `derive_sources` raises.
    """
    with staged_files(out) as work:
        return make_tables(find_sources(inputs), work, recipe or Recipe(), workers or cores(), progress)


def derive_sources(
    sources: Sequence[Source],
    out: Path | str,
    recipe: Recipe | None = None,
    workers: Workers | None = None,
    progress: Progress | None = None,
    scratch: Path | None = None,
) -> Derived:
    """`derive` for sources, into a folder or to a URL, with a manifest. Tables of the run before that are not written
    anew go. workers: also the address of a cluster's scheduler. scratch: where tables are made that go to a URL.

    Raises OSError where files can't be written, and UserError where a worker dies, a store is lost, or what is not of
    `derive` is in the way.
    """
    recipe = recipe or Recipe()
    names = () if recipe.partition else table_files(recipe)
    with staged(out, DERIVE, names, scratch) as work, held_origins({"traces": local_files(sources)}) as origins:
        work.made_from = origins | {"rules": f"{recipe.rules.name}, {recipe.rules.english}"}
        return make_tables(sources, work, recipe, workers or cores(), progress)


def table_files(recipe: Recipe) -> list[str]:
    """The names of the recipe's files, but for partitions."""
    forms = [".parquet"] * recipe.parquet + [".csv"] * recipe.csv
    return [f"{table}{form}" for table in (*recipe.written, REJECTED.name) for form in forms]


def make_tables(
    sources: Sequence[Source], work: Staged, recipe: Recipe, workers: Workers, progress: Progress | None
) -> Derived:
    """Make the tables in a staged folder. Of a pack that was read in pieces and has too many bad lines, only reading it
    whole shows where to stop."""
    if not isinstance(workers, str):
        workers = min(workers, worth_of_workers(sources))
    most = CLUSTER_CAPACITY if isinstance(workers, str) else workers
    split = split_large_packs(sources, most)
    derive_all = partial(derive_batches, work=work, recipe=recipe, workers=workers, progress=progress)
    parts = derive_all(split_into_batches(split, most))
    if len(split) > len(sources) and _has_bad_pack(parts, split):
        parts = derive_all(split_into_batches(sources, most))
    return write_tables(parts, work, recipe, workers)


def _has_bad_pack(parts: Sequence[Part], split: Sequence[Source]) -> bool:
    """Whether a split pack has more bad lines than limits.BAD_LINES."""
    rejected = {*_first_traces(parts)[1], *(rejection for part in parts for rejection in part.rejected)}
    bad = Counter(rejection.path.rpartition("#")[0] for rejection in rejected)
    return any(bad[source.display_name] > limits.BAD_LINES for source in split if source.last is not None)


def derive_batches(
    batches: Sequence[Sequence[Source]], work: Staged, recipe: Recipe, workers: Workers, progress: Progress | None
) -> list[Part]:
    """Derive every batch, and return what came of it, in the order of the batches."""
    total, done = sum(map(_files, batches)), 0
    parts: list[Part] = []
    progress = progress or (lambda done, total: None)
    progress(0, total)
    call = partial(derive_batch, folder=work.scratch, recipe=recipe)
    for _, results in map_unordered(call, list(enumerate(batches)), workers):
        parts += results
        done += sum(part.files for part in results)
        progress(done, total)
    return sorted(parts, key=lambda part: part.number)


@no_garbage_collection()
def derive_batch(batch: tuple[int, Sequence[Source]], folder: Path, recipe: Recipe) -> list[Part]:
    """Derive the tables of a numbered batch, and write their parts to the folder."""
    number, sources = batch
    parts: list[Part] = []
    for rows, rejected in read_traces(sources, recipe.made):
        frames, failed = derive_frames(rows, recipe)
        part = number * PARTS_PER_BATCH + len(parts)
        write_parts(frames, folder, part)
        lost = {path for path, _, _ in failed}
        games = tuple((row.game_id, row.trace_path) for row in rows["games"] if row.trace_path not in lost)
        parts.append(Part(part, 0 if parts else _files(sources), games, (*rejected, *failed)))
    return parts


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


def write_tables(parts: Sequence[Part], work: Staged, recipe: Recipe, workers: Workers) -> Derived:
    """Write each table from its parts, of two traces of one game those of the first."""
    from pipeline.tables import io

    first, repeats = _first_traces(parts)
    for part in parts:
        if repeated := [game for game, _ in part.games if first[game][0] != part.number]:
            remove_games(work.scratch, part.number, repeated, recipe.written)
    rejected = sorted({*repeats, *(rejection for part in parts for rejection in part.rejected)})
    numbers = [part.number for part in parts if part.games]
    whole = work.scratch if recipe.partition else work.folder
    csv = recipe.csv and not recipe.partition
    shapes = put_together(recipe.written, numbers, (work.scratch, whole), workers, csv, recipe.parquet)
    if recipe.partition:
        for name in shapes:
            write_partitions(whole / f"{name}.parquet", whole / "games.parquet", work.folder / name)
    frame = io.to_frame(REJECTED, rejected)
    shapes[REJECTED.name] = io.write_table(frame, REJECTED, work.folder, recipe.csv, recipe.parquet)
    return Derived(len(first), tuple(rejected), {name: shapes[name] for name in TABLES if name in shapes})


def _first_traces(parts: Sequence[Part]) -> tuple[dict[str, tuple[int, str]], list[Rejection]]:
    """game_id → (part, path) of its first trace; and a rejection for every other trace of the same game."""
    first: dict[str, tuple[int, str]] = {}
    repeats: list[Rejection] = []
    for part in parts:
        for game, path in part.games:
            if first.setdefault(game, (part.number, path)) != (part.number, path):
                error = duplicate(first[game][1])
                repeats.append(Rejection(path, error.reason, error.place))
    return first, repeats
