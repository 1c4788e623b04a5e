"""What stands where a run's traces go: which of its games are there already, and what must not be replaced."""

from __future__ import annotations

import gzip
import io
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum, auto
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec
import zstandard
from msgspec import Struct

from machine.stores import Unreachable, list_files, read_file
from sim.game.trace import SUFFIX, Event, Trace, write
from sim.runs.play import Play, config_of, identified, identity, is_waiting, trace_path
from sim.tasks.suite import LONGEST_NAME

T = TypeVar("T")

# Traces fetched at once from a store, where each takes long to come and no work.
READ_AT_ONCE = 32

GZIP = b"\x1f\x8b"

# Ends of names that other packings of a trace have.
OTHER_SUFFIXES = (".json", ".json.gz")

# Names of fields in which two games differ, of which so many are shown.
MOST_SHOWN = 3


class Job(Struct, frozen=True):
    """A game and the file that its trace goes to, by its path or URL."""

    play: Play
    path: Path | str


class Standing(Struct):
    """What a file says of the game whose trace it is; the rest is read only where it is asked for."""

    game_id: str
    stopped: bool = False
    config: msgspec.Raw = msgspec.Raw(b"{}")
    events: msgspec.Raw = msgspec.Raw(b"[]")


class Happened(Struct):
    """What tells how far a game had come with an event: its data, of which `round` counts."""

    data: dict[str, Any]


class Verdict(Enum):
    """What becomes of a job, by what stands in its place."""

    PLAY = auto()
    KEEP = auto()
    OTHER_GAME = auto()
    PAID = auto()


class InTheWay(Exception):
    """Traces that a run would replace, and nobody asked for that: which, and what to do."""


# What is in the way in plain words, and what to do about it.
PROBLEMS = {
    Verdict.PAID: (
        "a finished game, {game}, which a model has played",
        "--resume keeps such games and plays the others, --overwrite plays all of them again",
    ),
    Verdict.OTHER_GAME: (
        "another game, {game}",
        "name another folder; or --overwrite replaces what stands there, and --resume --overwrite keeps this run's "
        "own finished games",
    ),
}


def standing(path: Path | str) -> Standing | None:
    """What stands at the path or URL; None where nothing does, and no game_id where it is no trace, or a damaged one.
    Raises Unreachable, and InTheWay where the file cannot be read."""
    try:
        with opened(path) as file:
            text = unpacked(file.read())
        return msgspec.json.decode(text, type=Standing) if text else None
    except Unreachable:
        raise
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (gzip.BadGzipFile, EOFError, zlib.error, zstandard.ZstdError, msgspec.DecodeError, UnicodeDecodeError):
        return Standing("")
    except OSError as error:
        advice = "let it be read, move it away, or name another folder; or --overwrite replaces it"
        raise InTheWay(f"{path} is there and cannot be read ({error.strerror}): {advice}") from None


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


def verdict(job: Job, resume: bool) -> Verdict:
    """What becomes of the job. A game without a provider may be played again: the same inputs, the same bytes."""
    stands = standing(job.path)
    if stands is None:
        return Verdict.PLAY
    if stands.game_id != identity(config_of(job.play)):
        return Verdict.OTHER_GAME
    if stands.stopped:
        return Verdict.PLAY
    if resume:
        return Verdict.KEEP
    return Verdict.PAID if is_waiting(job.play) else Verdict.PLAY


def is_played(job: Job) -> bool:
    """Whether the job's file holds the finished trace of just this game."""
    return verdict(job, resume=True) is Verdict.KEEP


def left_to_play(jobs: Sequence[Job], out: Path | str, resume: bool, overwrite: bool) -> list[Job]:
    """The games that are left to play in the folder: with `resume`, those whose finished traces are not there yet.

    Raises InTheWay where a trace of another game, or the finished one of a game with a provider, would be replaced;
    with `overwrite` it may be.
    """
    if overwrite and not resume:
        return list(jobs)
    verdicts = for_each(jobs, out, lambda job: verdict(job, resume), Verdict.PLAY)
    for problem in () if overwrite else PROBLEMS:
        wrong = [job for job, outcome in zip(jobs, verdicts, strict=True) if outcome is problem]
        if wrong:
            raise InTheWay(in_words(problem, wrong))
    return [job for job, outcome in zip(jobs, verdicts, strict=True) if outcome is not Verdict.KEEP]


def where_they_are(jobs: Sequence[Job], out: Path | str) -> list[Job]:
    """The jobs, each with the path at which its very game is in the folder."""
    elsewhere = [[Job(job.play, path) for path in other_paths(job, out)] for job in jobs]
    there = iter(for_each([other for others in elsewhere for other in others], out, how_far, 0))
    far = [[next(there) for _ in others] for others in elsewhere]
    return [where_it_is(*arguments) for arguments in zip(jobs, elsewhere, far, strict=True)]


def where_it_is(job: Job, others: Sequence[Job], far: Sequence[int]) -> Job:
    """The job at that of its places where its game came furthest; its own where none is further."""
    best = max(far)
    return others[far.index(best)] if best and best > how_far(job) else job


def other_paths(job: Job, out: Path | str) -> list[Path | str]:
    """Where else the job's trace may be. A run of one team writes to the folder itself and one of several to a folder
    for each team: either finds there what the other wrote. Who unpacks the trace of a game that was paid for, or packs
    it otherwise, may have given it another name."""
    suffixes = (SUFFIX, *OTHER_SUFFIXES) if is_waiting(job.play) else (SUFFIX,)
    names = [trace_path(Path(), job.play, by_team).as_posix() for by_team in (True, False)]
    paths = [f"{name.removesuffix(SUFFIX)}{suffix}" for name in names for suffix in suffixes]
    places = [out / path if isinstance(out, Path) else f"{out}/{path}" for path in paths]
    return [place for place in places if place != job.path]


def how_far(job: Job) -> int:
    """Of the very game that the job's file may hold: 2 where it is finished, 1 where it stopped, 0 where it is not
    there."""
    stands = standing(job.path)
    return 0 if stands is None or stands.game_id != identity(config_of(job.play)) else 1 + (not stands.stopped)


def check_pack(jobs: Sequence[Job], pack: Path | str) -> None:
    """Raise InTheWay where the file at a pack's place holds anything but games of this run, which make the same
    bytes. Games with a provider are played into folders alone: they are always others."""
    if isinstance(pack, Path) and not pack.exists():
        return
    mine = {identity(config_of(job.play)) for job in jobs}
    for stands in in_pack(pack):
        if stands is None or stands.game_id not in mine:
            what = f"a game {named(config_in(stands))}, of another run" if stands else "something else than traces"
            raise InTheWay(f"{pack} holds {what}: name another file; or --overwrite replaces all that it holds")


def in_pack(pack: Path | str) -> Iterator[Standing | None]:
    """What stands in each line of a pack; None for one that is no trace. Nothing where there is no file."""
    try:
        with opened(pack) as file, zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as stream:
            for line in io.BufferedReader(stream):
                yield msgspec.json.decode(line, type=Standing)
    except FileNotFoundError:
        return
    except (zstandard.ZstdError, msgspec.DecodeError, UnicodeDecodeError):
        yield None


def for_each(jobs: Sequence[Job], out: Path | str, judge: Callable[[Job], T], absent: T) -> list[T]:
    """What is judged of each job; `absent` where its file is not in the bucket."""
    if isinstance(out, Path):
        return [judge(job) for job in jobs]
    from concurrent.futures import ThreadPoolExecutor

    try:
        present = {url for url, _ in list_files(out)}
    except FileNotFoundError:
        present = set()
    with ThreadPoolExecutor(READ_AT_ONCE) as pool:
        return list(pool.map(lambda job: judge(job) if job.path in present else absent, jobs))


def in_words(problem: Verdict, wrong: Sequence[Job]) -> str:
    """One line about the first of these jobs: what stands in its place, how many others there are, and what to do."""
    what, remedy = PROBLEMS[problem]
    others = f" ({len(wrong) - 1} more of its files too)" if len(wrong) > 1 else ""
    return f"{wrong[0].path} holds {what.format(game=described(wrong[0]))}{others}: {remedy}"


def described(job: Job) -> str:
    """The game that stands in the job's place, and in which fields it differs from the job's."""
    stands = standing(job.path)
    if stands and not stands.game_id:
        return "or what is none"
    there = config_in(stands)
    try:
        mine = msgspec.json.decode(msgspec.json.encode(identified(config_of(job.play))))
        fields = list(dict.fromkeys(differences(identified(there), mine)))
    except (KeyError, TypeError, AttributeError):  # of a trace that is not ours
        return named(there)
    more = ", …" if len(fields) > MOST_SHOWN else ""
    return f"{named(there)} with other {', '.join(fields[:MOST_SHOWN])}{more}" if fields else named(there)


def config_in(stands: Standing | None) -> dict[str, Any]:
    """The configuration of what stands there; empty where it has none."""
    there = msgspec.json.decode(stands.config) if stands else {}
    return there if isinstance(there, dict) else {}


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
    """Write the trace, and whether it was: one that stopped replaces no finished one, nor the same game's that came
    further."""
    if trace.stopped and (stands := standing(path)) and is_further(stands, trace):
        return False
    write(trace, path)
    return True


def is_further(stands: Standing, trace: Trace) -> bool:
    """Whether what stands there is worth more than a trace that stopped."""
    if not stands.game_id or not stands.stopped:
        return bool(stands.game_id)
    try:
        events = msgspec.json.decode(stands.events, type=list[Happened])
        return stands.game_id == trace.game_id and reached(events) > reached(trace.events)
    except (msgspec.DecodeError, KeyError):  # of a trace that is not ours
        return False


def reached(events: Sequence[Happened | Event]) -> tuple[int, int]:
    """How far a game came: its last round, and the number of its events."""
    return (int(events[-1].data["round"]) if events else -1, len(events))
