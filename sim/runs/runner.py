"""Many games: which to play, on how many processes, and which are already there."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import msgspec
import zstandard
from msgspec import Struct

from machine.executor import Workers, map_unordered
from machine.processes import no_garbage_collection
from machine.stores import Unreachable, list_urls, read_file
from sim.game.game import Limits
from sim.game.trace import packed, write
from sim.runs.play import Play, config_of, identity, play_game, trace_path
from sim.runs.teams import Team
from sim.tasks.suite import Task

# Games handed to a process at once: enough that the hand-over costs little, few enough that progress shows.
CHUNK = 4

# Traces fetched at once from a store, where each takes long to come and no work.
READ_AT_ONCE = 32


class Job(Struct, frozen=True):
    """A game and the file that its trace goes to, by its path or URL."""

    play: Play
    path: Path | str


class Identity(Struct):
    """What tells a finished trace from another."""

    game_id: str
    stopped: bool = False


def jobs_for(
    tasks: Sequence[Task],
    teams: Sequence[Team],
    limits: Limits,
    repeats: int,
    folder: Path | str,
    adversary: int | None = None,
) -> list[Job]:
    """Every game of the run: each team on each task, as often as asked. The folder is a path, or text: a URL."""
    plays = [
        Play(task, team, limits, repeat, adversary) for team in teams for task in tasks for repeat in range(repeats)
    ]
    if isinstance(folder, Path):
        return [Job(play, trace_path(folder, play, len(teams) > 1)) for play in plays]
    return [Job(play, f"{folder}/{trace_path(Path(), play, len(teams) > 1).as_posix()}") for play in plays]


def is_played(job: Job) -> bool:
    """Whether the job's file holds the finished trace of just this game."""
    try:
        with opened(job.path) as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
            trace = msgspec.json.decode(stream.read(), type=Identity)
    except Unreachable:
        raise
    except (OSError, zstandard.ZstdError, msgspec.DecodeError, UnicodeDecodeError):
        return False
    return trace.game_id == identity(config_of(job.play)) and not trace.stopped


def opened(path: Path | str) -> IO[bytes]:
    """The file at the path or URL."""
    return path.open("rb") if isinstance(path, Path) else io.BytesIO(read_file(path))


def unplayed(jobs: Sequence[Job], out: Path | str) -> list[Job]:
    """The jobs whose traces are not yet in the folder, or are of other or stopped games."""
    if isinstance(out, Path):
        return [job for job in jobs if not is_played(job)]
    from concurrent.futures import ThreadPoolExecutor

    present = list_urls(out)
    with ThreadPoolExecutor(READ_AT_ONCE) as pool:
        played = pool.map(lambda job: job.path in present and is_played(job), jobs)
        return [job for job, is_there in zip(jobs, played, strict=True) if not is_there]


def play_chunk(jobs: Sequence[Job]) -> int:
    """Play the games and write their traces; how many they were."""
    with no_garbage_collection():
        for job in jobs:
            write(play_game(job.play), job.path)
    return len(jobs)


def play_packed(play: Play) -> bytes:
    """Play one game; its trace as a frame of a pack."""
    with no_garbage_collection():
        return packed(play_game(play))


def play_all(jobs: Sequence[Job], workers: Workers) -> Iterator[int]:
    """Play all jobs, yielding how many more are done each time some are."""
    chunks = [jobs[i : i + CHUNK] for i in range(0, len(jobs), CHUNK)]
    for _, done in map_unordered(play_chunk, chunks, workers):
        yield done
