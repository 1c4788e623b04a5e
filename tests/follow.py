"""Which files of ours run while one game is played and derived: `python -m tests.follow [--write]`.

Prints how many files a message of IMAP runs through, and one in English, from the game to the tables; --write puts the
files into docs/a-messages-way.md, in the order of their first calls. What runs while modules are imported does not
count. `python -m tests.follow TEAM FOLDER` follows one team in this process.
"""

import ast
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "a-messages-way.md"
ROOMS = tuple(f"{ROOT / room}/" for room in ("sim", "pipeline", "machine"))
TEAMS = {"imap": "An IMAP message", "candid": "An English message"}
HEAD = """# A message's way

`python -m tests.follow --write` made this page. A team plays the first task of the suite, and its trace is derived.
The lists name every file whose code runs, in the order of the first calls, with the first sentence of its docstring.
"""


def run(*words: str) -> None:
    """Run `python -m` with these words, in this process. Raises RuntimeError where it fails."""
    sys.argv = list(words)
    try:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"{' '.join(words)}: exit {end.code}") from end


@contextmanager
def followed() -> Iterator[dict[str, None]]:
    """The files whose functions are called meanwhile, in the order of the first calls."""
    called: dict[str, None] = {}
    importing = 0

    def profile(frame: FrameType, event: str, _: object) -> None:
        nonlocal importing
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(ROOMS):
            return
        if code.co_name == "<module>" and frame.f_globals["__name__"] != "__main__":
            importing += 1 if event == "call" else -1
        elif event == "call" and not importing and code.co_name != "<module>":
            called.setdefault(code.co_filename.removeprefix(f"{ROOT}/"))

    sys.setprofile(profile)
    try:
        yield called
    finally:
        sys.setprofile(None)


def follow(team: str, folder: str) -> list[str]:
    """The files that run as the team plays the first task and its trace is derived, in the order of the first calls."""
    run("sim", "suite", "data/suites/paper72.csv", "--out", f"{folder}/tasks.jsonl")
    games = ("--team", team, "--limit", "1", "--out", f"{folder}/traces", "--workers", "1")
    with followed() as called:
        run("sim", "run", f"{folder}/tasks.jsonl", *games)
        run("pipeline", "derive", f"{folder}/traces", "--out", f"{folder}/tables", "--workers", "1")
    return list(called)


def ways() -> dict[str, list[str]]:
    """Team → the files that run, each team in a process of its own."""
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    found = {}
    for team in TEAMS:
        with TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "tests.follow", team, folder]
            done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        found[team] = [line.removeprefix("ran ") for line in done.stdout.splitlines() if line.startswith("ran ")]
    return found


def purpose(path: str) -> str:
    """The first sentence of a file's docstring."""
    text = ast.get_docstring(ast.parse((ROOT / path).read_text(encoding="utf-8"))) or ""
    return re.split(r"\.(?: (?=[A-Z])|$)", " ".join(text.split()))[0]


def page(found: dict[str, list[str]]) -> str:
    """The page: each team's files; of a later team those that no earlier one runs through."""
    parts, named = [HEAD], set[str]()
    for team, files in found.items():
        new = [path for path in files if path not in named]
        named |= set(files)
        beside = f", {len(new)} of them not named above" if len(new) < len(files) else ""
        rows = "\n".join(f"1. [`{path}`](../{path}): {purpose(path)}" for path in new)
        parts.append(f"## {TEAMS[team]}\n\nTeam `{team}`, {len(files)} files{beside}.\n\n{rows}\n")
    return "\n".join(parts)


def main() -> None:
    if sys.argv[1:] not in ([], ["--write"]):
        for path in follow(*sys.argv[1:]):
            print("ran", path)
        return
    found = ways()
    for team, files in found.items():
        print(f"{TEAMS[team]} runs through {len(files)} files")
    if sys.argv[1:]:
        PAGE.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
