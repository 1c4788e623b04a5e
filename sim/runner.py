"""Many games: which to play, on how many processes, and which are already there."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import zstandard
from msgspec import Struct

from sim.game import Limits
from sim.parallel import Workers, each
from sim.play import Play, config_of, identity, play_game, trace_path
from sim.suite import Task
from sim.teams import Team
from sim.trace import packed, write

# Games handed to a process at once: enough that the hand-over costs little, few enough that progress shows.
CHUNK = 4


class Job(Struct, frozen=True):
    """A game and the file that its trace goes to."""

    play: Play
    path: Path


class Identity(Struct):
    """What tells a finished trace from another."""

    game_id: str
    stopped: bool = False


def jobs_for(
    tasks: Sequence[Task],
    teams: Sequence[Team],
    limits: Limits,
    repeats: int,
    folder: Path,
    adversary: int | None = None,
) -> list[Job]:
    """Every game of the run: each team on each task, as often as asked."""
    plays = [
        Play(task, team, limits, repeat, adversary) for team in teams for task in tasks for repeat in range(repeats)
    ]
    return [Job(play, trace_path(folder, play, len(teams) > 1)) for play in plays]


def is_played(job: Job) -> bool:
    """Whether the job's file holds the finished trace of just this game."""
    try:
        with open(job.path, "rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
            found = msgspec.json.decode(stream.read(), type=Identity)
    except (OSError, zstandard.ZstdError, msgspec.DecodeError, UnicodeDecodeError):
        return False
    return found.game_id == identity(config_of(job.play)) and not found.stopped


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """A game makes many records and few cycles: looking for garbage while it is played costs up to half of its time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


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
    for _, done in each(play_chunk, chunks, workers):
        yield done
