"""Faults at every step of a command: the n-th open, rename, new folder, removal, listing or fork fails, or a file may
grow no further than n bytes, and then all is as it should be: `python -m tests.faults COMMAND… [--kind KIND]`.

Whatever failed, the command ends with one line and its exit code, or as if nothing had failed; files of an earlier run
are whole; nothing is left behind, or the next run removes it. The command runs in a fork of this process, which has
loaded its libraries, so that hundreds of faults take minutes.
"""

from __future__ import annotations

import argparse
import errno
import json
import mmap
import os
import resource
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from machine.manifests import MANIFEST_SUFFIX
from machine.terminal import run_program
from tests.fault_commands import COMMANDS, UNSTABLE
from tests.kills import contents, hidden

# Kind of fault → the interpreter's audit events, and the error. A file that is read fails as a bad disk does.
KINDS: dict[str, tuple[tuple[str, ...], int]] = {
    "open": (("open",), errno.ENOSPC),
    "rename": (("os.rename",), errno.ENOSPC),
    "mkdir": (("os.mkdir",), errno.ENOSPC),
    "remove": (("os.remove", "os.rmdir"), errno.EIO),
    "list": (("os.listdir", "os.scandir"), errno.EIO),
    "fork": (("os.fork", "subprocess.Popen"), errno.EAGAIN),
    "write": ((), errno.EFBIG),
}
# Of faults in tidying up, something may stay, which the next run removes.
TIDYING = ("remove", "list")
# Bytes beyond which a file does not grow, in place of the n-th write, which no event tells.
SIZES = (0, 1, 10, 100, 300, 600, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000)
READING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
FAILED = (1, 2, 4)


LIBRARIES = ("duckdb", "polars", "pyarrow.parquet", "matplotlib.pyplot", "pipeline.__main__", "sim.__main__")
LIBRARIES += ("pipeline.privacy.language.messages", "pipeline.reports.plots.dots", "pipeline.reports.notebook_session")


class Ran(NamedTuple):
    """How a run ended: its exit code, what it said on stderr, and whether the fault came to pass."""

    code: int
    stderr: str
    fired: bool


def arm(kind: str, number: int, folder: Path, signal: int, places: bool) -> None:
    """Let the number-th event of the kind in the folder fail, in this process and its forks, which count together.
    places: of the events at one place of the code only the first counts."""
    if kind == "write":
        resource.setrlimit(resource.RLIMIT_FSIZE, (SIZES[number - 1], SIZES[number - 1]))
        os.write(signal, b"!")
        return
    events, code = KINDS[kind]
    counted = mmap.mmap(-1, 8)
    seen: set[tuple[tuple[str, int], ...]] = set()

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in events or not (kind == "fork" or lies_in(folder, arguments[0])):
            return
        if places and (place := place_in_code()) in seen:
            return
        if places:
            seen.add(place)
        now = int.from_bytes(counted[:], "little") + 1
        counted[:] = now.to_bytes(8, "little")
        if now == number:
            os.write(signal, b"!")
            reads = kind == "open" and not arguments[2] & READING
            wrong = errno.EIO if reads else code
            raise OSError(wrong, os.strerror(wrong), str(arguments[0]) if arguments else None)

    sys.addaudithook(hook)


def lies_in(folder: Path, path: object) -> bool:
    """Whether it is a path in the folder."""
    return isinstance(path, str | bytes | os.PathLike) and str(folder) in str(Path(os.fsdecode(path)).absolute())


def place_in_code() -> tuple[tuple[str, int], ...]:
    """The lines that led here, outermost last."""
    return tuple((frame.f_code.co_filename, line) for frame, line in traceback.walk_stack(None))


def play(words: list[str]) -> int:
    """The exit code of the command, run in this process."""
    sys.argv = words
    try:
        if words[0] == "sim":
            sim = import_module("sim.__main__")
            run_program(sim.app)
        else:
            pipeline = import_module("pipeline.__main__")
            run_program(pipeline.app)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 99
    return 0


def run(words: Callable[[], list[str]], folder: Path, fault: tuple[str, int, bool] | None = None) -> Ran:
    """Run the command in a fork, with the fault: its kind, its number, and whether places in the code are numbered."""
    (fired, signal), (said, stderr) = os.pipe(), os.pipe()
    if not (child := os.fork()):
        code = 98
        try:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(stderr, 2)
            sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
            os.environ["TMPDIR"] = str(folder / "tmp")
            tempfile.tempdir = None
            asked = words()
            if fault:
                arm(fault[0], fault[1], folder, signal, fault[2])
            code = play(asked)
            sys.stderr.flush()
        finally:
            os._exit(code)
    os.close(signal)
    os.close(stderr)
    with os.fdopen(said, "rb") as lines, os.fdopen(fired, "rb") as told:
        text = lines.read().decode("utf-8", "replace")
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return Ran(status, text, bool(told.read(1)))


def forked(work: Callable[[], None]) -> None:
    """Do the work in a fork: this process must not come to use libraries whose threads its other forks would miss."""
    if not (child := os.fork()):
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, "its inputs could not be made"


class Trial:
    """One command in a folder of its own."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder, self.command = name, folder, COMMANDS[name]
        self.inputs, self.out, self.tmp = folder / "in", folder / "out", folder / "tmp"
        for place in (self.inputs, self.tmp):
            place.mkdir(parents=True)
        forked(partial(self.command.prepare, self.inputs))
        self.words = partial(self.command.words, self.inputs, self.out)
        self.fresh()
        first = run(self.words, folder)
        assert first.code == 0, first.stderr
        self.clean = contents(self.out)

    def fresh(self) -> None:
        """Leave nothing where the command writes."""
        for place in (self.out, self.tmp):
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()

    def strike(self, kind: str, number: int, earlier: bool, places: bool) -> None:
        """Run with the fault, over an earlier run's files or none, and note whether it came to pass. Raises
        AssertionError where anything is not as it should be."""
        self.fired = False
        self.fresh()
        if earlier:
            for name, data in self.clean.items():
                (self.out / name).parent.mkdir(parents=True, exist_ok=True)
                (self.out / name).write_bytes(data)
        ran = run(self.words, self.folder, (kind, number, places))
        self.fired = ran.fired
        self.check_said(ran)
        self.check_files(ran.code, kind, "warning: " in ran.stderr)
        if left := [Path(path).name for path in (*hidden(self.out), *map(str, self.tmp.iterdir()))]:
            # Where all else went well, it was the tidying up that failed.
            assert kind in TIDYING or ran.code == 0, f"left behind: {left}, {ran}"
            self.check_next()

    def check_said(self, ran: Ran) -> None:
        """One line where it failed, and nothing that only its authors can read."""
        assert "Traceback" not in ran.stderr, ran.stderr
        assert ran.code in (0, self.command.verdict, *FAILED), ran
        if ran.code in FAILED and ran.code not in (2, self.command.verdict):
            wrong = [line for line in ran.stderr.splitlines() if line.startswith("error: ")]
            assert len(wrong) == 1, ran.stderr

    def check_files(self, code: int, kind: str = "", warned: bool = False) -> None:
        """Every file that can be seen is whole: one of an undisturbed run, and all of them where nothing is said.
        warned: a page may tell of what could not be read."""
        found = contents(self.out)
        assert code or found.keys() == self.clean.keys(), found.keys() ^ self.clean.keys()
        for name, data in found.items():
            assert name in self.clean, name
            same = warned or code == self.command.verdict or self.name in UNSTABLE or data == self.clean[name]
            # Where a folder could not be listed again, a manifest does not say what it was made from.
            lists = kind == "list" and name.endswith(MANIFEST_SUFFIX)
            same = same or (lists and json.loads(data)["files"] == json.loads(self.clean[name])["files"])
            assert same, f"{name} is not whole"

    def check_next(self) -> None:
        """A plain run leaves what an undisturbed one leaves, and nothing else."""
        ran = run(self.words, self.folder)
        assert ran.code == 0, ran.stderr
        self.check_files(0)
        assert hidden(self.out) == [], hidden(self.out)


def faults(trial: Trial, kind: str, numbers: Iterator[int], places: bool) -> Iterator[tuple[int, str]]:
    """(number, what was lost or nothing) of each fault of a kind, until none comes to pass."""
    for number in numbers:
        if kind == "write" and number > len(SIZES):
            return
        lost = ""
        try:
            trial.strike(kind, number, number % 2 == 0, places)
        except AssertionError as error:
            lost = str(error)
        if trial.fired or lost:
            yield number, lost
        if not trial.fired:
            return


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="+", choices=COMMANDS, metavar="COMMAND", help=", ".join(COMMANDS))
    parser.add_argument("--kind", choices=KINDS, action="append", help="only this kind; may be repeated")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th step, from a drawn one on")
    parser.add_argument("--most", type=int, default=10**9, metavar="N", help="no more than N faults of a kind")
    parser.add_argument("--places", action="store_true", help="of steps at one place of the code, only the first")
    parser.add_argument("--seed", default="", help="draws that first step")
    asked = parser.parse_args()
    for name in LIBRARIES:
        import_module(name)
    return max([inject(command, asked) for command in asked.commands])


def inject(command: str, asked: argparse.Namespace) -> int:
    """Every fault that was asked for in one command; prints each loss, and how many there were. Returns 1 for any."""
    tried, losses = Counter[str](), 0
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        trial = Trial(command, Path(folder))
        for kind in asked.kind or KINDS:
            first = Random(f"{command} {kind} {asked.seed}").randint(1, asked.every)
            for number, lost in islice(faults(trial, kind, count(first, asked.every), asked.places), asked.most):
                tried[kind] += 1
                if lost:
                    losses += 1
                    print(f"LOST {command}: {kind} {number}: {lost}", flush=True)
    each = ", ".join(f"{kind} {number}" for kind, number in tried.items())
    print(f"{command}: {tried.total()} faults, {losses} losses ({each})", flush=True)
    return 1 if losses else 0


if __name__ == "__main__":
    sys.exit(main())
