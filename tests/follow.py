"""Which functions of ours run while one game is played and derived: `python -m tests.follow TEAM FOLDER`.

Prints "ran FILE FUNCTION" for each, in the order of its first call, and leaves traces and tables in the folder. What
runs while modules are imported does not count.
"""

import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from tests.imports import ROOT

ROOMS = tuple(f"{ROOT / room}/" for room in ("sim", "pipeline", "machine"))


def run(*words: str) -> None:
    """Run `python -m` with these words, in this process. Raises RuntimeError where it fails."""
    sys.argv = list(words)
    try:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"{' '.join(words)}: exit {end.code}") from end


@contextmanager
def followed() -> Iterator[dict[tuple[str, str, int], None]]:
    """(file, function, its first line) of what is called meanwhile, in the order of the first calls."""
    called: dict[tuple[str, str, int], None] = {}
    importing = 0

    def profile(frame: FrameType, event: str, _: object) -> None:
        nonlocal importing
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(ROOMS):
            return
        if code.co_name == "<module>" and frame.f_globals["__name__"] != "__main__":
            importing += 1 if event == "call" else -1
        elif event == "call" and not importing and code.co_name != "<module>":
            called.setdefault((code.co_filename.removeprefix(f"{ROOT}/"), code.co_name, code.co_firstlineno))

    sys.setprofile(profile)
    try:
        yield called
    finally:
        sys.setprofile(None)


def follow(team: str, folder: str) -> list[tuple[str, str]]:
    """(file, function) in the order of their first calls, as the team plays the first task and its trace is derived."""
    run("sim", "suite", "data/suites/paper72.csv", "--out", f"{folder}/tasks.jsonl")
    games = ("--team", team, "--limit", "1", "--out", f"{folder}/traces", "--workers", "1")
    with followed() as called:
        run("sim", "run", f"{folder}/tasks.jsonl", *games)
        run("pipeline", "derive", f"{folder}/traces", "--out", f"{folder}/tables", "--workers", "1")
    return list(dict.fromkeys((path, function) for path, function, _ in called))


if __name__ == "__main__":
    for path, function in follow(*sys.argv[1:]):
        print("ran", path, function)
