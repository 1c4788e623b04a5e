"""A model plays the paper's 72 tasks freely and told to poll, and both teams' talk is compared (docs/models.md).

    python -m pipeline.beyond.leakage.talk MODEL OUT [--parameters "temperature: 0, …"] [options of sim run]

What stands in OUT is kept, and played as it stands. Exit code: 4 when games stopped (tasks that both ended are
compared), 3 when traces were rejected, 2 for bad usage, else that of the command that failed.
"""

import argparse
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import yaml

from machine.output import replacing
from machine.terminal import escaped
from pipeline.tables.paths import read_yaml

SUITE = "data/suites/paper72.csv"
POLLING = "polling"
# Each team, and what it has beside the model's parameters.
TEAMS: dict[str, dict[str, Any]] = {"free": {}, POLLING: {"prompt_variant": "polling"}}
# Exit codes of `sim run` and `derive` after which there is something to compare.
SOME_STOPPED, SOME_REJECTED = 4, 3
BAD_USAGE = 2


def talk(model: str, out: Path, parameters: dict[str, Any], options: Sequence[str]) -> int:
    """Play, derive and compare in the folder `out`; the exit code. options: of `sim run`. Raises SystemExit where the
    folder holds something else, or a command fails."""
    tables, traces, tasks = out / "tables", out / "traces", out / "tasks.jsonl"
    if tables.exists() and not traces.exists():
        refuse(f"{tables} is of no such traces; name another folder")
    teams = {out / f"{name}.yaml": team(name, model, parameters | own) for name, own in TEAMS.items()}
    standing = {file: kept_team(file, model) for file in teams if file.exists()}
    derive = ("pipeline", "derive", traces, "--out", tables)
    if tables.exists():
        # Tables that could not be replaced end it here, before any game is paid for.
        command(*derive, fine=SOME_REJECTED)
    out.mkdir(parents=True, exist_ok=True)
    for file, wanted in teams.items():
        if standing.setdefault(file, wanted) != wanted:
            say(f"{file} is there and says otherwise; it is played as it stands: remove it to play what is asked")
        elif not file.exists():
            with replacing(file) as draft:
                draft.write_text(yaml.safe_dump(wanted, sort_keys=False), encoding="utf-8")
    if tasks.exists():
        say(f"{tasks} is there, and is played as it stands")
    else:
        command("sim", "suite", SUITE, "--out", tasks)
    played = [word for file in teams for word in ("--team", file)]
    code = command("sim", "run", tasks, *played, "--out", traces, "--resume", *options, fine=SOME_STOPPED)
    if "--dry-run" in options or not traces.exists():
        return code
    rejected = command(*derive, fine=SOME_REJECTED)
    command("pipeline.beyond.leakage.learned", tables, "--beside", POLLING)
    return code or rejected


def team(name: str, model: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """A team whose agents are all of the model."""
    agent = {"type": "llm", "parameters": {"preset": "paper", **parameters, "model": model}}
    return {"team": name, "agents": [agent]}


def kept_team(file: Path, model: str) -> dict[str, Any]:
    """The team that stands in the file. Raises SystemExit where it is none of the model."""
    try:
        found: dict[str, Any] = read_yaml(file)
        models = {agent["parameters"]["model"] for agent in found["agents"]}
    except (yaml.YAMLError, ValueError, LookupError, TypeError):
        models = set()
    if models != {model}:
        refuse(f"{file} is of another model, or no team; name another folder")
    return found


def command(*words: object, fine: int = 0) -> int:
    """The exit code of `python -m` these words, 0 or `fine`. Raises SystemExit for any other, and where somebody ends
    this program: once the command has ended in its own way."""
    print(escaped(" ".join(map(str, ("python -m", *words)))), flush=True)
    process = subprocess.Popen([sys.executable, "-m", *map(str, words)])

    def end(*_: object) -> NoReturn:
        process.terminate()
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)
    try:
        code = process.wait()
    except KeyboardInterrupt:
        process.wait()
        raise SystemExit(SOME_STOPPED) from None
    if code not in (0, fine):
        raise SystemExit(code)
    return code


def read_parameters(text: str) -> dict[str, Any]:
    """Parameters as in a team's file, with commas between them. Raises SystemExit for anything else."""
    try:
        found = yaml.safe_load(f"{{{text}}}")
    except (yaml.YAMLError, ValueError):
        refuse(f"no parameters: {text}; write them as in a team's file, with commas between them")
    return dict(found)


def say(text: str) -> None:
    """Tell it in a line of stderr in which nothing controls the terminal."""
    print(escaped(text), file=sys.stderr)


def refuse(problem: str) -> NoReturn:
    """End with one line that says what is wrong."""
    say(f"error: {problem}")
    raise SystemExit(BAD_USAGE)


def main(words: Sequence[str] | None = None) -> int:
    """The command line; the exit code."""
    parser = argparse.ArgumentParser(description="Play freely and told to poll, and compare", allow_abbrev=False)
    parser.add_argument("model", help="LiteLLM's name of the model")
    parser.add_argument("out", help="the folder for teams, tasks, traces and tables")
    parser.add_argument("--parameters", default="", help="of its agents, as in a team's file, with commas between them")
    asked, options = parser.parse_known_args(words)
    if not asked.model or not asked.out:
        refuse("name a model and a folder: make talk MODEL=openai/gpt-5.4-mini OUT=mine")
    return talk(asked.model, Path(asked.out), read_parameters(asked.parameters), options)


if __name__ == "__main__":
    sys.exit(main())
