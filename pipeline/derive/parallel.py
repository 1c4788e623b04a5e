"""Deriving from many files: chunks of traces on all cores, then each table merged in the order of its key."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine.process_pool import Run
from machine.processes import cores, no_garbage_collection
from machine.stores import is_url
from pipeline.behaviour.phrases import Thresholds
from pipeline.behaviour.tables import BEHAVIOUR_TABLES, behaviour_frames
from pipeline.derive.rows import Rejection, duplicate, ingested_frames, read_traces, rejection, unforeseen
from pipeline.privacy.evidence import PRIVACY_TABLES, privacy_frames
from pipeline.privacy.rules import RULES, RuleSet, Weighing
from pipeline.tables.schemas.base import REJECTED, TABLES
from pipeline.tables.shards import (
    CLUSTER_CAPACITY,
    game_ranges,
    merge_partitioned_table,
    merge_table,
    publish,
    remove_shards,
    scratch_in,
    table_executor,
    write_shaped_shards,
)
from pipeline.traces import limits
from pipeline.traces.ingest import Rows, no_rows
from pipeline.traces.sources import Source, find, is_pack, split_pack, texts

if TYPE_CHECKING:
    import polars as pl

Progress = Callable[[int, int], None]

CHUNK_FILES = 512
CHUNK_BYTES = 128_000_000
# A pack is read in pieces of so many bytes at least, and in so many pieces at most, as each unpacks all before it.
PIECE_BYTES = 500_000
MOST_PIECES = 16
# The shards of a chunk are numbered from a multiple of this.
SHARDS_A_CHUNK = 1_000_000
FINISHED = "finished"
# A message that is most likely no protocol's JSON.
ENGLISH = re.compile(rb'"content": ?"[^{"]')


@dataclass(frozen=True)
class Recipe:
    """What to derive: by which rules and thresholds, whether also privacy and behaviour, whether CSV as well; or, in
    place of one file a table, folders by team and condition."""

    rules: RuleSet = RULES["paper"]
    weighing: Weighing = field(default_factory=Weighing)
    limits: Thresholds = field(default_factory=Thresholds)
    privacy: bool = True
    csv: bool = True
    partition: bool = False


@dataclass(frozen=True)
class ShardResult:
    """What became of a batch of traces: the number of its shards, how many files it ends, (game_id, trace_path) of its
    games, and its rejections."""

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
    inputs: Sequence[Path | str],
    out: Path,
    recipe: Recipe | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Derived:
    """Write the recipe's tables of the traces in the files, folders and URLs given to `out`.

    The tables appear all at once, when all went well; else those in `out` stay as they were. `progress` is called
    with (files read, files in all). Raises FileNotFoundError for an input that does not exist.
    """
    return derive_sources(find(inputs), out, recipe, workers, progress)


def derive_sources(
    sources: Sequence[Source],
    out: Path,
    recipe: Recipe | None = None,
    workers: int | str | None = None,
    progress: Progress | None = None,
) -> Derived:
    """The same for sources. `workers` may also be the address of a cluster's scheduler.

    Raises OSError where files can't be written, WorkerDied, ClusterError, and Unreachable where a store is lost.
    """
    most = CLUSTER_CAPACITY if isinstance(workers, str) else workers or cores()
    split = split_large_packs(sources, most)
    processes = min(most, max(1, len(split)))
    where = workers if isinstance(workers, str) else processes
    recipe, progress = recipe or Recipe(), progress or (lambda done, total: None)
    if where != 1 and recipe.privacy:
        _load_before_fork(split)
    with scratch_in(out) as scratch, table_executor(where) as run:
        shards = derive_shards(chunks(split, processes), scratch, recipe, run, progress)
        if len(split) > len(sources) and _has_bad_pack(shards, split):
            shards = derive_shards(chunks(sources, processes), scratch, recipe, run, progress)
        derived = merge(shards, scratch, scratch / FINISHED, recipe, run)
        publish(scratch / FINISHED, out)
        return derived


def _load_before_fork(sources: Sequence[Source]) -> None:
    """Import what reads messages and, if the first trace has English, compile its patterns: forked workers inherit
    both, instead of each doing it again."""
    import pipeline.privacy.language.messages  # noqa: F401
    from pipeline.privacy.language.scan import scanner

    first = next((text for s in sources[:1] if not is_url(s.name) for _, text in texts(s)), b"")
    if isinstance(first, bytes) and ENGLISH.search(first):
        scanner().compile_all()


def split_large_packs(sources: Sequence[Source], workers: int) -> list[Source]:
    """The sources in order, with packs in pieces that would keep one worker busy when the others are done."""
    share = max(PIECE_BYTES, -(-sum(source.size for source in sources) // min(workers, MOST_PIECES)))
    return [piece for s in sources for piece in (split_pack(s, -(-s.size // share)) if is_pack(s) and s.size else [s])]


def _has_bad_pack(shards: Sequence[ShardResult], split: Sequence[Source]) -> bool:
    """Whether a pack in pieces has more bad lines than are read: where to stop shows only when it is read whole."""
    rejected = {*_first_traces(shards)[1], *(rejection for shard in shards for rejection in shard.rejected)}
    bad = Counter(rejection.path.rpartition("#")[0] for rejection in rejected)
    return any(bad[source.shown] > limits.BAD_LINES for source in split if source.last is not None)


def chunks(sources: Sequence[Source], workers: int) -> list[list[Source]]:
    """The sources in order, in chunks small enough to keep all workers busy and memory low."""
    rounds = max(2, -(-len(sources) // (CHUNK_FILES * workers)))
    most = max(1, -(-len(sources) // (rounds * workers)))
    chunked: list[list[Source]] = []
    size = 0
    for source in sources:
        if not chunked or len(chunked[-1]) >= most or size + source.size > CHUNK_BYTES:
            chunked.append([])
            size = 0
        chunked[-1].append(source)
        size += source.size
    return chunked


def derive_shards(
    chunked: Sequence[Sequence[Source]], scratch: Path, recipe: Recipe, run: Run, progress: Progress
) -> list[ShardResult]:
    """Derive every chunk; what became of its batches, in the order of the chunks."""
    total, done = sum(map(_files, chunked)), 0
    shards: list[ShardResult] = []
    progress(0, total)
    calls = [(number, chunk, scratch, recipe) for number, chunk in enumerate(chunked)]
    for _, results in run(derive_chunk, calls):
        shards += results
        done += sum(shard.files for shard in results)
        progress(done, total)
    return sorted(shards, key=lambda shard: shard.number)


def derive_chunk(number: int, sources: Sequence[Source], scratch: Path, recipe: Recipe) -> list[ShardResult]:
    """Derive one chunk's tables and write each, sorted by its key, to the scratch folder."""
    with no_garbage_collection():
        # A function of its own, whose rows are gone on its return: collections afterwards do not traverse them.
        return _derive_batches(number, sources, scratch, recipe)


def _derive_batches(number: int, sources: Sequence[Source], scratch: Path, recipe: Recipe) -> list[ShardResult]:
    shards: list[ShardResult] = []
    for rows, rejected in read_traces(sources):
        frames, failed = derived_frames(rows, recipe)
        shard = number * SHARDS_A_CHUNK + len(shards)
        if frames:
            write_shaped_shards(frames, scratch, shard)
        lost = {path for path, _, _ in failed}
        games = tuple((row.game_id, row.trace_path) for row in rows["games"] if row.trace_path not in lost)
        shards.append(ShardResult(shard, 0 if shards else _files(sources), games, (*rejected, *failed)))
    return shards


def _files(sources: Sequence[Source]) -> int:
    """How many files are read to their ends."""
    return sum(source.last is None for source in sources)


def derived_frames(rows: Rows, recipe: Recipe) -> tuple[dict[str, "pl.DataFrame"], list[Rejection]]:
    """The recipe's tables of ingested rows, each in its shape, and the games that the tables cannot be derived from."""
    from polars.exceptions import PanicException

    try:
        return _frames(rows, recipe), []
    except (Exception, PanicException):
        good, failed = no_rows(), []
    for game in rows["games"]:
        alone = {table: [row for row in listed if row.game_id == game.game_id] for table, listed in rows.items()}
        try:
            _frames(alone, recipe)
        except (Exception, PanicException) as error:
            failed.append(rejection(game.trace_path, unforeseen(error)))
        else:
            for table, listed in alone.items():
                good[table] += listed
    return _frames(good, recipe), failed


def _frames(rows: Rows, recipe: Recipe) -> dict[str, "pl.DataFrame"]:
    from pipeline.tables import io

    if not rows["games"]:
        return {}
    frames = ingested_frames(rows)
    if recipe.privacy:
        frames |= privacy_frames(frames, recipe.rules, recipe.weighing)
        frames |= behaviour_frames(frames, recipe.limits)
    return {name: io.shaped(frame, TABLES[name]) for name, frame in frames.items()}


def merge(shards: Sequence[ShardResult], scratch: Path, out: Path, recipe: Recipe, run: Run) -> Derived:
    """Merge the shards of each table, and write it to the folder `out`."""
    first, repeats = _first_traces(shards)
    rejected = sorted({*repeats, *(rejection for shard in shards for rejection in shard.rejected)})
    ranges = game_ranges(sorted(first))
    numbers = tuple(shard.number for shard in shards if shard.games)
    repeated = {shard.number: tuple(g for g, _ in shard.games if first[g][0] != shard.number) for shard in shards}
    names = [name for name in largest_first() if recipe.privacy or name not in (*PRIVACY_TABLES, *BEHAVIOUR_TABLES)]
    calls: list[tuple[Any, ...]] = [(_write_rejected, rejected, out, recipe.csv)]
    for name in names:
        call = (TABLES[name], numbers, repeated, ranges, scratch, out)
        calls.append((merge_partitioned_table, *call) if recipe.partition else (merge_table, *call, recipe.csv))
    shapes = {}
    for _, shape in run(_call, calls):
        shapes[shape["table"]] = shape
        if not recipe.partition:
            remove_shards(scratch, shape["table"], numbers)
    return Derived(len(first), tuple(rejected), {name: shapes[name] for name in TABLES if name in shapes})


def largest_first() -> list[str]:
    """The tables that are merged from shards, in the order that keeps all cores busy."""
    large = ["belief_evidence", "messages", "pair_round_vps"]
    return large + [name for name in TABLES if name not in (*large, REJECTED.name)]


def _first_traces(shards: Sequence[ShardResult]) -> tuple[dict[str, tuple[int, str]], list[Rejection]]:
    """For each game the shard and path of its first trace, and a rejection for every other trace of it."""
    first: dict[str, tuple[int, str]] = {}
    repeats: list[Rejection] = []
    for shard in shards:
        for game, path in shard.games:
            if first.setdefault(game, (shard.number, path))[1] != path:
                error = duplicate(first[game][1])
                repeats.append(Rejection(path, error.reason, error.place))
    return first, repeats


def _call(write: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Call one of the functions that write a table: a worker has Polars loaded, which this process need not have."""
    return write(*arguments)


def _write_rejected(rejected: Sequence[Rejection], out: Path, csv: bool) -> dict[str, Any]:
    from pipeline.tables import io

    return io.write_table(io.to_frame(REJECTED, rejected), REJECTED, out, csv)
