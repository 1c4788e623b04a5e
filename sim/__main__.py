"""The benchmark's command line: `python -m sim suite | select | run`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer

if TYPE_CHECKING:
    from sim.runner import Job

Piece = TypeVar("Piece")

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Make tasks from seeds, and let teams of agents play them.",
)

Workers = Annotated[int | None, typer.Option(help="Processes to use.", min=1, show_default="all cores")]


@app.command(
    epilog="\b\nExamples:\n"
    "  python -m sim suite data/suites/paper72.csv --out tasks.jsonl\n"
    "  python -m sim suite data/suites/paper72.csv --out blocked.jsonl --blocked\n"
)
def suite(
    task_list: Annotated[Path, typer.Argument(metavar="LIST.csv", help="Tasks and their seeds, one a line.")],
    out: Annotated[Path, typer.Option(metavar="TASKS.jsonl", help="Where the tasks go.")],
    blocked: Annotated[bool, typer.Option("--blocked", help="Make some errands of each task immovable.")] = False,
    workers: Workers = None,
) -> None:
    """Make the tasks of a list: calendars, meetings, optimum, greedy and witness schedules."""
    from functools import partial

    from sim.blocked import make_blocked_task
    from sim.lists import read_list
    from sim.parallel import in_order
    from sim.suite import TaskError, checked, make_task, write_tasks

    make = make_blocked_task if blocked else make_task
    try:
        entries = read_list(task_list)
        made = in_order(partial(checked, make), entries, worker_count(workers))
        write_tasks(progress(made, "making tasks", len(entries)), out)
    except (TaskError, OSError) as error:
        fail(error)
    print(f"{len(entries)} tasks in {out}")


@app.command(
    epilog="\b\nExamples:\n"
    "  python -m sim select --setting uniform --out list.csv\n"
    "  python -m sim select --setting varied --shape 5x3 --density 0.4 --candidates 50 --out list.csv\n"
)
def select(
    out: Annotated[Path, typer.Option(metavar="LIST.csv", help="Where the task list goes.")],
    setting: Annotated[str, typer.Option(help="uniform: every errand costs 1; varied: 1, 100 or 1000.")],
    candidates: Annotated[int, typer.Option(help="Candidates a cell.", min=3)] = 100,
    per_third: Annotated[int, typer.Option(help="Tasks a cell and difficulty.", min=1)] = 4,
    shape: Annotated[
        list[str] | None, typer.Option(metavar="AGENTSxPARTICIPANTS", help="[default: 2x2, 5x3, 5x5]")
    ] = None,
    density: Annotated[list[float] | None, typer.Option(help="[default: 0.6, 0.8, 1.0]")] = None,
    seed_base: Annotated[int | None, typer.Option(help="[default: 320000 uniform, 420000 varied]")] = None,
    workers: Workers = None,
) -> None:
    """Choose a suite: rank each cell's candidates by difficulty and keep some of each third."""
    from functools import partial

    from sim.lists import SETTINGS, write_list
    from sim.parallel import in_order
    from sim.select import DENSITIES, SEED_BASES, SHAPES, cells, select_cell

    if setting not in SETTINGS:
        fail(f"there is no setting {setting!r}; known settings: {', '.join(SETTINGS)}")
    if per_third > candidates // 3:
        fail(f"a third of {candidates} candidates has no {per_third} tasks; ask for more candidates")
    chosen = cells([read_shape(s) for s in shape] if shape else SHAPES, density or DENSITIES)
    base = SEED_BASES[setting] if seed_base is None else seed_base
    work = partial(select_cell, setting=setting, seed_base=base, number=candidates, per_third=per_third)
    try:
        found = list(progress(in_order(work, chosen, worker_count(workers)), "choosing tasks", len(chosen)))
        write_list([row for rows in found for row in rows], out)
    except (ValueError, OSError) as error:
        fail(error)
    print(f"{sum(map(len, found))} tasks of {len(chosen)} cells in {out}")


@app.command(
    epilog="\b\nExamples:\n"
    "  python -m sim run tasks.jsonl --team imap --out traces\n"
    "  python -m sim run tasks.jsonl --team imap --team team.yaml --out traces --repeats 3 --resume\n"
)
def run(
    tasks: Annotated[Path, typer.Argument(metavar="TASKS.jsonl", help="Tasks made with `sim suite`.")],
    team: Annotated[list[str], typer.Option(help="A team's name, or a YAML file that lists its agents; repeatable.")],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where the traces go: a folder, or one file FILE.jsonl.zst.")
    ],
    repeats: Annotated[int, typer.Option(help="Games of each team on each task.", min=1)] = 1,
    workers: Workers = None,
    resume: Annotated[bool, typer.Option("--resume", help="Keep the games that are already there.")] = False,
    limit: Annotated[int | None, typer.Option(help="Only the first so many tasks.", min=1)] = None,
    max_turns: Annotated[int, typer.Option(help="Sweeps of cheap talk a round.", min=1)] = 15,
    decision_retries: Annotated[int, typer.Option(help="Retries of a rejected DECISION batch.", min=0)] = 3,
    dm_cap: Annotated[int | None, typer.Option(help="Messages a game.", min=0, show_default="no cap")] = None,
) -> None:
    """Play games: each team on each task, one trace a game."""
    from sim.game import Limits
    from sim.runner import is_played, jobs_for, play_all
    from sim.suite import TaskError, read_tasks
    from sim.teams import TeamError, load_team, specs_for
    from sim.trace import PACK_SUFFIX

    pack = out.name.endswith(PACK_SUFFIX)
    if pack and resume:
        fail(f"{out}: a pack is written whole, there is nothing to resume; name a folder")
    try:
        found = read_tasks(tasks)[:limit]
        teams = [load_team(name) for name in team]
        for task in found:
            for each_team in teams:
                specs_for(each_team, task.num_agents)
        limits = Limits(max_turns_per_round=max_turns, decision_retries=decision_retries, dm_cap=dm_cap)
        jobs = jobs_for(found, teams, limits, repeats, out)
        check_distinct([str(job.path) for job in jobs])
        left = [job for job in jobs if not (resume and is_played(job))]
        if pack:
            play_into_pack(left, out, worker_count(workers))
        else:
            for _ in progress(play_all(left, worker_count(workers)), "playing", len(left)):
                pass
    except (TaskError, TeamError, OSError) as error:
        fail(error)
    kept = f", {len(jobs) - len(left)} were there already" if resume else ""
    print(f"{len(left)} games played{kept}; traces in {out}")


def play_into_pack(jobs: Sequence[Job], out: Path, workers: int) -> None:
    """Play all games into one file, a trace a line in the jobs' order."""
    from sim.files import write_whole
    from sim.parallel import in_order
    from sim.runner import play_packed

    frames = in_order(play_packed, [job.play for job in jobs], workers)
    write_whole(out, progress(frames, "playing", len(jobs)))


def read_shape(text: str) -> tuple[int, int]:
    """A shape written as 5x3: agents and participants."""
    agents, _, participants = text.partition("x")
    if not (agents.isdigit() and participants.isdigit()):
        fail(f"the shape {text!r} is not written as AGENTSxPARTICIPANTS, like 5x3")
    return int(agents), int(participants)


def check_distinct(paths: list[str]) -> None:
    """End with a message where two games would write the same file."""
    twice = next((p for p in paths if paths.count(p) > 1), None) if len(set(paths)) < len(paths) else None
    if twice:
        fail(f"two games would both write {twice}; give the teams different names")


def worker_count(workers: int | None) -> int:
    """The number of processes asked for, or one a core."""
    from sim.parallel import cores

    return workers or cores()


def progress(results: Iterable[Piece], what: str, total: int) -> Iterator[Piece]:
    """The results, with a bar on the terminal that counts them (whole numbers count as many)."""
    if not sys.stderr.isatty():
        yield from results
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns: tuple[Any, ...] = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total)
        for result in results:
            yield result
            bar.advance(task, result if isinstance(result, int) else 1)


def fail(problem: object) -> NoReturn:
    """End with one line that says what is wrong."""
    print(f"error: {problem}", file=sys.stderr)
    raise typer.Exit(2)


if __name__ == "__main__":
    app()
