"""Runs that die: each command is killed at any moment, starved of disk, or met by a second run, and then run again.

Whatever happened, every file that can be seen is whole, as an undisturbed run has it, and a plain second run leaves
just what an undisturbed one leaves. A command joins by one more Row in ROWS.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from random import Random

from machine.manifests import MANIFEST_SUFFIX, any_manifest
from sim.game.trace import write
from sim.runs.play import Play, play_game
from sim.runs.teams import named_teams
from sim.tasks.suite import write_tasks
from tests.imports import ROOT
from tests.sim.worlds import tiny_task

# Seconds. No run here takes so long, on no machine however busy: what takes longer hangs.
LIMIT = 300.0


@dataclass(frozen=True)
class Row:
    """A command: what it is called, how its inputs are made in a folder, its words there, and the most bytes of one
    file that let it begin but not end. `stable` says that its files are the same bytes in
    every run; `starved` is the exit code where there is no room.
    `keeps` something in the system's folder for temporary files, which a kill leaves there; or `drafts` of its files,
    which it writes one by one."""

    name: str
    prepare: Callable[[Path], None]
    words: Callable[[Path, Path], list[str]]
    bytes_a_file: int
    stable: bool = True
    starved: int = 1
    keeps: bool = False
    drafts: bool = False


def tasks(folder: Path) -> None:
    """Games that are tiny and many, so that a kill falls between them, into them and into writing."""
    write_tasks([tiny_task(seed) for seed in range(60)], folder / "tasks.jsonl")


def task_list(folder: Path) -> None:
    """Some of the paper's tasks, of each shape."""
    header, *rows = (ROOT / "data" / "suites" / "paper72.csv").read_text(encoding="utf-8").splitlines()
    (folder / "list.csv").write_text("\n".join([header, *rows[::6]]) + "\n", encoding="utf-8")


def traces(folder: Path, games: int = 40, teams: Sequence[str] = ("imap", "sd")) -> None:
    """Games of protocols: to compile what reads English takes longer than all that writes files."""
    for seed in range(games):
        for team in teams:
            write(play_game(Play(tiny_task(seed), named_teams()[team])), folder / "traces" / team / f"{seed}.json.zst")


def tables(folder: Path, games: int = 40, teams: Sequence[str] = ("imap", "sd")) -> None:
    from pipeline.derive.parallel import derive

    traces(folder, games, teams)
    derive([folder / "traces"], folder / "tables", workers=1)


def results(folder: Path) -> None:
    from pipeline.reports.batch.own_study import write_results

    tables(folder, games=3)
    write_results(folder / "tables", folder / "results")


def suite(folder: Path, out: Path) -> list[str]:
    return ["sim", "suite", f"{folder}/list.csv", "--out", f"{out}/tasks.jsonl", "--workers", "2"]


def sim_run(folder: Path, out: Path) -> list[str]:
    teams = ["--team", "exact", "--team", "imap"]
    return ["sim", "run", f"{folder}/tasks.jsonl", *teams, "--out", str(out), "--resume", "--workers", "2"]


def derive(folder: Path, out: Path) -> list[str]:
    return ["pipeline", "derive", f"{folder}/traces", "--out", str(out), "--workers", "2"]


def audit(folder: Path, out: Path) -> list[str]:
    return ["pipeline", "audit", f"{folder}/traces", "--out", str(out), "--workers", "2"]


def database(folder: Path, out: Path) -> list[str]:
    return ["pipeline", "database", "--tables", f"{folder}/tables", "--out", f"{out}/all.duckdb"]


def site(folder: Path, out: Path) -> list[str]:
    return ["pipeline", "site", f"{folder}/traces", "--out", str(out), "--workers", "2"]


def report(folder: Path, out: Path) -> list[str]:
    options = ["--tables", f"{folder}/tables", "--results", f"{folder}/results"]
    return ["pipeline", "report", *options, "--team", "imap", "--team", "sd", "--out", str(out), "--workers", "2"]


ROWS = (
    Row("sim suite", task_list, suite, 9_000, drafts=True),
    Row("sim run", tasks, sim_run, 1_000, drafts=True),
    Row("pipeline derive", traces, derive, 9_000),
    Row("pipeline audit", traces, audit, 600, starved=4),
    Row("pipeline database", tables, database, 100_000, stable=False),
    Row("pipeline site", partial(traces, games=3), site, 2_000, keeps=True),
    Row("pipeline report", results, report, 2_000, keeps=True),
)


@dataclass
class Harness:
    """One row in a folder of its own. `draws` decides when and whom to kill."""

    row: Row
    folder: Path
    draws: Random
    kills: int = 0
    seconds: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.row.prepare(self.folder)

    @cached_property
    def temporary(self) -> Path:
        """The system's folder for temporary files, of these runs alone."""
        folder = self.folder / "temporary"
        folder.mkdir(exist_ok=True)
        return folder

    @cached_property
    def clean(self) -> dict[str, bytes]:
        """What a run leaves that nobody disturbs."""
        began = time.monotonic()
        code, stderr = self.finish(self.start(self.folder / "clean"))
        self.seconds = time.monotonic() - began
        assert code == 0, stderr
        return contents(self.folder / "clean")

    def start(self, out: Path, before: Callable[[], None] | None = None) -> subprocess.Popen[str]:
        """A run in a process group of its own."""
        words = [sys.executable, "-m", *self.row.words(self.folder, out)]
        out.mkdir(parents=True, exist_ok=True)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        env = os.environ | {"TMPDIR": str(self.temporary)}
        return subprocess.Popen(words, text=True, cwd=ROOT, env=env, start_new_session=True, preexec_fn=before, **pipes)

    def finish(self, run: subprocess.Popen[str]) -> tuple[int, str]:
        """(exit code, what it said on stderr) of a run."""
        _, stderr = run.communicate(timeout=LIMIT)
        return run.returncode, stderr

    def kill(self, out: Path) -> None:
        """Begin a run, and kill it, one of its workers, or all of them, at a moment within a clean run's time."""
        assert self.clean
        run = self.start(out)
        time.sleep(self.draws.uniform(0.02, self.seconds))
        whom = self.draws.choice(("run", "worker", "all"))
        workers = workers_of(run.pid)
        for victim in workers[:1] if whom == "worker" and workers else [run.pid, *(workers if whom == "all" else ())]:
            strike(victim)
        code, stderr = self.finish(run)
        self.kills += 1
        assert code in (-signal.SIGKILL, 0, 1, self.row.starved), (code, stderr)
        # Of a run that is dead, Python's own helpers may still say what they miss.
        assert code == -signal.SIGKILL or "Traceback" not in stderr, stderr
        self.check_whole(out)

    def check_whole(self, out: Path) -> None:
        """Every file that can be seen is one of a clean run."""
        for name, data in contents(out).items():
            assert name in self.clean, name
            assert not self.row.stable or data == self.clean[name], f"{name} is not whole"

    def check_done(self, out: Path) -> None:
        """A plain run leaves what a clean one leaves, and nothing else."""
        code, stderr = self.finish(self.start(out))
        assert code == 0, stderr
        self.check_left(out)

    def check_left(self, out: Path) -> None:
        """There is what a clean run leaves, and nothing else."""
        self.check_whole(out)
        assert contents(out).keys() == self.clean.keys(), contents(out).keys()
        assert self.row.drafts or hidden(out) == [], hidden(out)
        left = [path.name for path in self.temporary.iterdir()]
        assert self.row.keeps or left == [], left

    def fill_disk(self, out: Path) -> None:
        """Run where no file may grow, which fails as on a full disk: one line says so, and nothing is half-written."""
        bound = (self.row.bytes_a_file, self.row.bytes_a_file)
        code, stderr = self.finish(self.start(out, partial(resource.setrlimit, resource.RLIMIT_FSIZE, bound)))
        last = stderr.rstrip("\n").rpartition("\n")[2]
        assert (code, last[:7]) == (self.row.starved, "error: "), (code, stderr)
        assert "Traceback" not in stderr, stderr
        self.check_whole(out)
        assert hidden(out) == [], hidden(out)

    def meet(self, out: Path) -> list[tuple[int, str]]:
        """(exit code, stderr) of two runs that begin together, of which one at least does the work."""
        runs = [self.start(out), self.start(out)]
        ends = [self.finish(run) for run in runs]
        assert all("Traceback" not in stderr for _, stderr in ends), ends
        assert 0 in [code for code, _ in ends], ends
        assert all(code == 0 or "another run is writing there" in stderr for code, stderr in ends), ends
        self.check_whole(out)
        return ends


def contents(folder: Path) -> dict[str, bytes]:
    """The files that can be seen, and what they hold; links to others, and manifests of runs that have not ended, are
    left out."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    seen = (path for path in files if not is_hidden(path.relative_to(folder)) and not is_of_a_run_at_work(path))
    return {str(path.relative_to(folder)): path.read_bytes() for path in seen}


def is_of_a_run_at_work(path: Path) -> bool:
    """Whether it is the manifest of a run that works, or was killed."""
    return path.name.endswith(MANIFEST_SUFFIX) and bool((m := any_manifest(path)).staging or m.unfinished)


def hidden(folder: Path) -> list[str]:
    """What a run keeps out of sight while it works."""
    return sorted(str(p) for p in folder.rglob("*") if is_hidden(p.relative_to(folder)))


def is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def workers_of(process: int) -> list[int]:
    """The process ids of a process's workers."""
    listed = subprocess.run(["ps", "-ww", "-o", "pid=,args=", "--ppid", str(process)], capture_output=True, text=True)
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if "LokyProcess" in line]


def is_alive(process: int) -> bool:
    """Whether the process runs; a zombie does not."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True).stdout
    return state.strip()[:1] not in ("", "Z")


def strike(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return
