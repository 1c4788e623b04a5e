"""Existing output: what is where a run's traces go, and what of it a run may replace."""

from __future__ import annotations

import gzip
import io
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import msgspec
import zstandard
from msgspec import Struct
from msgspec.structs import replace

from machine.errors import UserError
from machine.stores import list_files, read_file
from sim.game.trace import PACK_SUFFIX, SUFFIX, Trace, write
from sim.runs.play import Play, config_of, identified, identity, is_waiting, trace_path
from sim.tasks.suite import LONGEST_NAME

# Traces fetched at once from a store, where each takes long to come and no work.
READ_AT_ONCE = 32
# Ends of names that other packings of a trace have.
OTHER_SUFFIXES = (".json", ".json.gz")
# Names of fields in which two games differ, of which so many are shown.
MOST_SHOWN = 3

GZIP = b"\x1f\x8b"
DAMAGED = (gzip.BadGzipFile, EOFError, zlib.error, zstandard.ZstdError, msgspec.DecodeError, UnicodeDecodeError)

PAID = (
    "a finished game, {game}, which a model has played",
    "--resume keeps such games and plays the others, --overwrite plays all of them again",
)
OTHER = (
    "another game, {game}",
    "name another folder; or --overwrite replaces what is there, and --resume --overwrite keeps this run's own "
    "finished games",
)


class Job(Struct, frozen=True):
    """A game and the file that its trace goes to, by its path or URL."""

    play: Play
    path: Path | str


class Existing(Struct):
    """What a file says of the game whose trace it is; no `game_id` where it is no trace, or a damaged one."""

    game_id: str
    stopped: bool = False
    config: msgspec.Raw = msgspec.Raw(b"{}")
    events: list[msgspec.Raw] = []


class Decision(Struct, frozen=True):
    """What becomes of a job: where its trace is or goes, whether it is played, and what is in the way: what in words,
    and what to do."""

    job: Job
    is_played: bool = True
    problem: tuple[str, str] | None = None


def decide(job: Job, out: Path | str, resume: bool, overwrite: bool, present: set[str] | None = None) -> Decision:
    """What becomes of the job, by what is in each place where its trace may be.

    A game without a provider may be played again: the same inputs, the same bytes. present: the files in a bucket.
    Raises UserError where a file can't be read.
    """
    places, name = places_of(job, out), identity(config_of(job.play))
    try:
        found = {place: existing(place) if present is None or place in present else None for place in places}
    except OSError as error:
        if overwrite and not resume:
            return Decision(job)
        advice = "let it be read, move it away, or name another folder; or --overwrite replaces it"
        raise UserError(f"{error.filename} is there and cannot be read ({error.strerror}): {advice}", 2) from error
    own = {place: there for place, there in found.items() if there and there.game_id == name}
    job = replace(job, path=max(own, key=lambda place: not own[place].stopped, default=job.path))
    there = found[job.path]
    if there is None or (overwrite and not resume):
        return Decision(job)
    if there.game_id != name:
        return Decision(job, problem=None if overwrite else OTHER)
    if there.stopped or resume:
        return Decision(job, is_played=there.stopped)
    return Decision(job, problem=PAID if is_waiting(job.play) else None)


def decide_all(jobs: Sequence[Job], out: Path | str, resume: bool, overwrite: bool) -> list[Decision]:
    """What becomes of each job. Raises UserError where what nobody asked to replace is in the way."""
    if is_pack(out):
        if not overwrite:
            check_pack(jobs, out)
        return [Decision(job) for job in jobs]
    if isinstance(out, Path):
        decisions = [decide(job, out, resume, overwrite) for job in jobs]
    else:
        present = listed(out)
        with ThreadPoolExecutor(READ_AT_ONCE) as pool:
            decisions = list(pool.map(lambda job: decide(job, out, resume, overwrite, present), jobs))
    for problem in (PAID, OTHER):
        if wrong := [decision.job for decision in decisions if decision.problem is problem]:
            what, remedy = problem
            others = f" ({len(wrong) - 1} more of its files too)" if len(wrong) > 1 else ""
            raise UserError(f"{wrong[0].path} holds {what.format(game=described(wrong[0]))}{others}: {remedy}", 2)
    return decisions


def is_pack(place: Path | str) -> bool:
    """Whether all traces go to one file."""
    return str(place).endswith(PACK_SUFFIX)


def listed(url: str) -> set[str]:
    """The files in the folder of a bucket."""
    try:
        return {name for name, _ in list_files(url)}
    except FileNotFoundError:
        return set()


def places_of(job: Job, out: Path | str) -> list[Path | str]:
    """Where the job's trace may be, its own path first.

    A run of one team writes to the folder itself, one of several to a folder for each: either finds there what the
    other wrote. Who unpacks the trace of a game that was paid for, or packs it otherwise, may have renamed it.
    """
    suffixes = (SUFFIX, *OTHER_SUFFIXES) if is_waiting(job.play) else (SUFFIX,)
    names = [trace_path(Path(), job.play, by_team).as_posix() for by_team in (True, False)]
    paths = [f"{name.removesuffix(SUFFIX)}{suffix}" for name in names for suffix in suffixes]
    return list(dict.fromkeys([job.path, *(out / p if isinstance(out, Path) else f"{out}/{p}" for p in paths)]))


def existing(path: Path | str) -> Existing | None:
    """What is at the path or URL; None where nothing is. Raises OSError, and UserError where a store refuses."""
    try:
        with opened(path) as file:
            text = unpacked(file.read())
        return msgspec.json.decode(text, type=Existing) if text else None
    except (FileNotFoundError, NotADirectoryError):
        return None
    except DAMAGED:
        return Existing("")


def opened(path: Path | str) -> IO[bytes]:
    """The file at the path or URL."""
    return path.open("rb") if isinstance(path, Path) else io.BytesIO(read_file(path))


def unpacked(content: bytes) -> bytes:
    """The text of a trace that may be packed by zstd or gzip, whatever its file is called, as its readers have it."""
    if content.startswith(GZIP):
        content = gzip.decompress(content)
    elif not content.lstrip().startswith((b"{", BOM_UTF8)) and content:
        with zstandard.ZstdDecompressor().stream_reader(content) as stream:
            content = stream.read()
    return content.removeprefix(BOM_UTF8)


def check_pack(jobs: Sequence[Job], pack: Path | str) -> None:
    """Raise UserError where the file at a pack's place holds anything but games of this run, which make the same
    bytes. Games with a provider are played into folders alone: they are always others."""
    if isinstance(pack, Path) and not pack.exists():
        return
    mine = {identity(config_of(job.play)) for job in jobs}
    for there in in_pack(pack):
        if there is None or there.game_id not in mine:
            what = f"a game {named(config_in(there))}, of another run" if there else "something else than traces"
            raise UserError(f"{pack} holds {what}: name another file; or --overwrite replaces all that it holds", 2)


def in_pack(pack: Path | str) -> Iterator[Existing | None]:
    """What is in each line of a pack; None for one that is no trace. Nothing where there is no file."""
    try:
        with opened(pack) as file, zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as stream:
            for line in io.BufferedReader(stream):
                yield msgspec.json.decode(line, type=Existing)
    except FileNotFoundError:
        return
    except (zstandard.ZstdError, msgspec.DecodeError, UnicodeDecodeError):
        yield None


def described(job: Job) -> str:
    """The game that is in the job's place, and in which fields it differs from the job's."""
    there = existing(job.path)
    if there and not there.game_id:
        return "or what is none"
    config = config_in(there)
    try:
        mine = msgspec.json.decode(msgspec.json.encode(identified(config_of(job.play))))
        fields = list(dict.fromkeys(differences(identified(config), mine)))
    except (KeyError, TypeError, AttributeError):  # of a trace that is not ours
        return named(config)
    more = ", …" if len(fields) > MOST_SHOWN else ""
    return f"{named(config)} with other {', '.join(fields[:MOST_SHOWN])}{more}" if fields else named(config)


def config_in(there: Existing | None) -> dict[str, Any]:
    """The configuration of what is there; empty where it has none."""
    config = msgspec.json.decode(there.config) if there else {}
    return config if isinstance(config, dict) else {}


def named(config: Mapping[str, Any]) -> str:
    """A game by its team and task."""
    if not config:
        return "of an unknown team"
    team, task = (str(config.get(name))[:LONGEST_NAME] for name in ("team", "task_id"))
    return f"of team {team} on task {task}"


def differences(one: Any, other: Any, place: str = "") -> Iterator[str]:
    """The fields in which two values of JSON differ; items of a list go by the list's name."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted({*one, *other}):
            yield from differences(one.get(name), other.get(name), f"{place}.{name}".lstrip("."))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for mine, theirs in zip(one, other, strict=True):
            yield from differences(mine, theirs, place)
    elif one != other:
        yield place


def write_unless_worse(trace: Trace, path: Path | str) -> bool:
    """Write the trace, and whether it was: one that stopped replaces no finished one, nor the same game's that has more
    events."""
    there = existing(path) if trace.stopped else None
    if there and there.game_id and not there.stopped:
        return False
    if there and there.game_id == trace.game_id and len(there.events) > len(trace.events):
        return False
    write(trace, path)
    return True
