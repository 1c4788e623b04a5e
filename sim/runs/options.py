"""What the commands say on the terminal, and the options that a run shares."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, NoReturn, TextIO, TypeVar

import typer

from machine.terminal import escaped, progress_bar

if TYPE_CHECKING:
    from sim.runs.runner import Job


Piece = TypeVar("Piece")


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on the terminal; call what it gives with how many more are done. Silent where there is no terminal."""
    done = 0
    with progress_bar(what, total) as show:

        def count(more: int) -> None:
            nonlocal done
            done += more
            show(done, total)

        yield count


def progress(results: Iterable[Piece], what: str, total: int) -> Iterator[Piece]:
    """The results, with a bar on the terminal that counts them (whole numbers count as many)."""
    with counting(what, total) as count:
        for result in results:
            yield result
            count(result if isinstance(result, int) else 1)


def worker_count(workers: int | None) -> int:
    """The number of processes asked for, or one a core."""
    from machine.processes import cores

    return workers or cores()


def fail(problem: object, code: int = 2) -> NoReturn:
    """End with one line that says what is wrong."""
    say(f"error: {problem}", sys.stderr)
    raise typer.Exit(code)


def say(line: str, where: TextIO | None = None) -> None:
    """Print a line, on standard output if nowhere else. Names and messages in it can't steer the terminal: what is not
    printable is escaped."""
    print(escaped(line), file=where)


def read_channels(text: str) -> tuple[str, ...]:
    """The channels that a list with commas names."""
    from sim.game.talk import CHANNELS

    names = tuple(part.strip() for part in text.split(",") if part.strip())
    wrong = next((n for n in names if n not in CHANNELS), None)
    if wrong:
        fail(f"there is no channel {wrong!r}; known channels: {', '.join(CHANNELS)}")
    if not names:
        fail(f"no channel is open; name at least one of {', '.join(CHANNELS)}")
    return tuple(dict.fromkeys(names))


def read_shard(text: str | None) -> tuple[int, int]:
    """(which, of how many) of a shard written as 2/8; 1/1, the whole, where there is none."""
    if text is None:
        return 1, 1
    which, _, of = text.partition("/")
    if not (which.isdecimal() and of.isdecimal() and 1 <= int(which) <= int(of)):
        fail(f"the shard {text!r} is not written as I/N with I from 1 to N, like 2/8")
    return int(which), int(of)


def in_shard(jobs: Sequence[Job], shard: tuple[int, int]) -> list[Job]:
    """The games of the shard, told by what each is alone: shards need not know of each other, and share no game."""
    which, of = shard
    return [job for job in jobs if place(job) % of == which - 1]


def place(job: Job) -> int:
    """A number that stands for the game, the same on every machine."""
    play = job.play
    name = f"{play.team.team}/{play.task.task_id}/{play.repeat}"
    return int.from_bytes(sha256(name.encode("utf-8", "surrogatepass")).digest()[:8], "big")
