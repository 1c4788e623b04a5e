"""Deriving from many files: chunks of traces on all cores, then each table put together in the order of its key."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine.crew import Run
from machine.memory import no_garbage_collection
from machine.processes import cores
from pipeline.derive import Rejection, duplicate, ingested_frames, read_traces, rejection, unforeseen
from pipeline.ingest import Rows, no_rows
from pipeline.parts import (
    CLUSTER_CAPACITY,
    assemble_table,
    at_work_on_tables,
    leave_shaped,
    partition_table,
    publish,
    ranges_of,
    remove_parts,
    scratch_in,
)
from pipeline.privacy import PRIVACY, privacy_frames
from pipeline.reading import limits
from pipeline.reading.remote import is_remote
from pipeline.reading.sources import Source, find, is_pack, pieces, texts
from pipeline.rules import RULES, RuleSet, Weighing
from pipeline.schemas.base import REJECTED, TABLES
from pipeline.speech.phrases import Thresholds
from pipeline.speech.tables import SPEECH, speech_frames

if TYPE_CHECKING:
    import polars as pl

Progress = Callable[[int, int], None]

CHUNK_FILES = 512
CHUNK_BYTES = 128_000_000
# A pack is read in pieces of so many bytes at least, and so many pieces at most: all unpack what is before them.
PIECE_BYTES = 500_000
MOST_PIECES = 16
# Parts of a chunk are numbered on from a multiple of this.
PARTS = 1_000_000
FINISHED = "finished"
# A message that is no protocol's JSON, most likely.
ENGLISH = re.compile(rb'"content": ?"[^{"]')


@dataclass(frozen=True)
class Recipe:
    """What to derive: by which rules and thresholds, whether also what was learnt and said, whether CSV as well;
    or, in place of one file a table, folders by team and condition."""

    rules: RuleSet = RULES["paper"]
    weighing: Weighing = field(default_factory=Weighing)
    limits: Thresholds = field(default_factory=Thresholds)
    privacy: bool = True
    csv: bool = True
    partition: bool = False


@dataclass(frozen=True)
class Part:
    """What a batch of traces gave: its number, its games and their traces, and what it rejected; `files` are done."""

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
    """The same of files that were found. `workers` may be the address of a cluster's scheduler, too."""
    most = CLUSTER_CAPACITY if isinstance(workers, str) else workers or cores()
    cut = cut_up(sources, most)
    hands = min(most, max(1, len(cut)))
    place = workers if isinstance(workers, str) else hands
    recipe, tell = recipe or Recipe(), progress or (lambda done, total: None)
    if place != 1 and recipe.privacy:
        _get_ready(cut)
    with scratch_in(out) as scratch, at_work_on_tables(place) as run:
        parts = read_parts(chunks(cut, hands), scratch, recipe, run, tell)
        if len(cut) > len(sources) and _has_bad_pack(parts, cut):
            parts = read_parts(chunks(sources, hands), scratch, recipe, run, tell)
        derived = assemble(parts, scratch, scratch / FINISHED, recipe, run)
        publish(scratch / FINISHED, out)
        return derived


def _get_ready(sources: Sequence[Source]) -> None:
    """Load what reads messages before workers are forked, and compile it where the first trace has English: each
    would do so for itself."""
    import pipeline.language.messages  # noqa: F401
    from pipeline.language.scan import scanner

    first = next((text for s in sources[:1] if not is_remote(s.name) for _, text in texts(s)), b"")
    if isinstance(first, bytes) and ENGLISH.search(first):
        scanner().compile_all()


def cut_up(sources: Sequence[Source], workers: int) -> list[Source]:
    """The sources in order, packs that would keep one worker busy beyond the others in pieces."""
    share = max(PIECE_BYTES, -(-sum(source.size for source in sources) // min(workers, MOST_PIECES)))
    return [piece for s in sources for piece in (pieces(s, -(-s.size // share)) if is_pack(s) and s.size else [s])]


def _has_bad_pack(parts: Sequence["Part"], cut: Sequence[Source]) -> bool:
    """Whether of a pack in pieces more lines are bad than are read: only who reads it whole knows where to stop."""
    rejected = {*_first_tellers(parts)[1], *(rejection for part in parts for rejection in part.rejected)}
    bad = Counter(rejection.path.rpartition("#")[0] for rejection in rejected)
    return any(bad[source.shown] > limits.BAD_LINES for source in cut if source.last is not None)


def chunks(sources: Sequence[Source], workers: int) -> list[list[Source]]:
    """The sources in order, in chunks small enough to keep all workers busy and memory low."""
    rounds = max(2, -(-len(sources) // (CHUNK_FILES * workers)))
    most = max(1, -(-len(sources) // (rounds * workers)))
    made: list[list[Source]] = []
    size = 0
    for source in sources:
        if not made or len(made[-1]) >= most or size + source.size > CHUNK_BYTES:
            made.append([])
            size = 0
        made[-1].append(source)
        size += source.size
    return made


def read_parts(
    made: Sequence[Sequence[Source]],
    scratch: Path,
    recipe: Recipe,
    run: Run,
    progress: Progress,
) -> list[Part]:
    """Every chunk's part, in the order of the chunks."""
    total, done = sum(map(_files, made)), 0
    parts: list[Part] = []
    progress(0, total)
    calls = [(number, chunk, scratch, recipe) for number, chunk in enumerate(made)]
    for _, made_parts in run(derive_chunk, calls):
        parts += made_parts
        done += sum(part.files for part in made_parts)
        progress(done, total)
    return sorted(parts, key=lambda part: part.number)


def derive_chunk(number: int, sources: Sequence[Source], scratch: Path, recipe: Recipe) -> list[Part]:
    """Derive one chunk's tables and leave each, sorted by its key, in the scratch folder."""
    with no_garbage_collection():
        # All rows are gone on its return: what looks for garbage afterwards does not meet them.
        return _parts(number, sources, scratch, recipe)


def _parts(number: int, sources: Sequence[Source], scratch: Path, recipe: Recipe) -> list[Part]:
    parts: list[Part] = []
    for rows, rejected in read_traces(sources):
        frames, stumbled = derived_frames(rows, recipe)
        place = number * PARTS + len(parts)
        if frames:
            leave_shaped(frames, scratch, place)
        lost = {path for path, _, _ in stumbled}
        games = tuple((row.game_id, row.trace_path) for row in rows["games"] if row.trace_path not in lost)
        parts.append(Part(place, 0 if parts else _files(sources), games, (*rejected, *stumbled)))
    return parts


def _files(sources: Sequence[Source]) -> int:
    """How many files are read to their ends."""
    return sum(source.last is None for source in sources)


def derived_frames(rows: Rows, recipe: Recipe) -> tuple[dict[str, "pl.DataFrame"], list[Rejection]]:
    """The recipe's tables of ingested rows, each in its shape, and the games that no table can be derived of."""
    from polars.exceptions import PanicException

    try:
        return _frames(rows, recipe), []
    except (Exception, PanicException):
        good, stumbled = no_rows(), []
    for game in rows["games"]:
        alone = {table: [row for row in listed if row.game_id == game.game_id] for table, listed in rows.items()}
        try:
            _frames(alone, recipe)
        except (Exception, PanicException) as error:
            stumbled.append(rejection(game.trace_path, unforeseen(error)))
        else:
            for table, listed in alone.items():
                good[table] += listed
    return _frames(good, recipe), stumbled


def _frames(rows: Rows, recipe: Recipe) -> dict[str, "pl.DataFrame"]:
    from pipeline import io

    if not rows["games"]:
        return {}
    frames = ingested_frames(rows)
    if recipe.privacy:
        frames |= privacy_frames(frames, recipe.rules, recipe.weighing)
        frames |= speech_frames(frames, recipe.limits)
    return {name: io.shaped(frame, TABLES[name]) for name, frame in frames.items()}


def assemble(parts: Sequence[Part], scratch: Path, out: Path, recipe: Recipe, run: Run) -> Derived:
    """Put the parts of each table together, and write it."""
    first, repeated = _first_tellers(parts)
    rejected = sorted({*repeated, *(rejection for part in parts for rejection in part.rejected)})
    ranges = ranges_of(sorted(first))
    numbers = tuple(part.number for part in parts if part.games)
    unwanted = {part.number: tuple(g for g, _ in part.games if first[g][0] != part.number) for part in parts}
    names = [name for name in largest_first() if recipe.privacy or name not in (*PRIVACY, *SPEECH)]
    calls: list[tuple[Any, ...]] = [(_write_rejected, rejected, out, recipe.csv)]
    for name in names:
        call = (TABLES[name], numbers, unwanted, ranges, scratch, out)
        calls.append((partition_table, *call) if recipe.partition else (assemble_table, *call, recipe.csv))
    shapes = {}
    for _, shape in run(_write, calls):
        shapes[shape["table"]] = shape
        if not recipe.partition:
            remove_parts(scratch, shape["table"], numbers)
    return Derived(len(first), tuple(rejected), {name: shapes[name] for name in TABLES if name in shapes})


def largest_first() -> list[str]:
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


def _write(write: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Write one table, which takes a process that has polars loaded: this one need not."""
    return write(*arguments)


def _write_rejected(rejected: Sequence[Rejection], out: Path, csv: bool) -> dict[str, Any]:
    from pipeline import io

    return io.write_table(io.to_frame(REJECTED, rejected), REJECTED, out, csv)
