"""The benchmark's half of the command line: `python -m sim suite | select | teams | run | serve`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from machine.errors import UserError
from machine.terminal import BAD_USAGE, Command, program, run_program, say

COMMANDS = {
    "suite": Command("sim.__main__:suite"),
    "select": Command("sim.__main__:select"),
    "teams": Command("sim.__main__:teams"),
    "run": Command("sim.runs.run:run", urls=("--out", "--cluster")),
    "serve": Command("sim.__main__:serve"),
}

app = program(COMMANDS, "Make tasks from seeds, and let teams of agents play them.")

Workers = Annotated[int | None, typer.Option(help="Processes to use.", min=1, show_default="all cores")]

CODES = (
    "\n\nExit code: 0 when the file was written, 2 for bad usage, 1 when the disk is full or a process died, 130 after "
    "Ctrl-C or SIGTERM (after both nothing was written)."
)

# Patterns of which all are found in the first line of a file of tasks, or of a list of them.
TASKS, LIST = (b'"task_id":', b'"calendars":'), (b'task_id"?(,|$)', b'seed"?(,|$)')


@contextmanager
def replacing_own(out: Path, known_by: tuple[bytes, ...]) -> Iterator[None]:
    """A block that writes a file, and leaves no empty folder where it fails. Raises UserError where a file of another
    kind is in the way, and for what is wrong in the tasks that were asked for."""
    from machine.output import make_folder, no_empty_folders
    from sim.tasks.scenario import ScenarioError
    from sim.tasks.suite import TaskError

    if out.is_dir():
        raise UserError(f"{out} is a folder; name a file", BAD_USAGE)
    if is_other(out, known_by):
        raise UserError(f"{out} is there, and holds something else; move it away, or name another file", BAD_USAGE)
    try:
        with no_empty_folders([out.parent]):
            make_folder(out.parent)
            yield
    except (TaskError, ScenarioError) as error:
        raise UserError(str(error), BAD_USAGE) from error


def is_other(place: Path, known_by: tuple[bytes, ...]) -> bool:
    """Whether a file with something in it is there, in whose first line one of the patterns is not found, or which is
    of games."""
    if not place.is_file() or not place.stat().st_size:
        return False
    with place.open("rb") as file:
        first = file.readline().strip()
    return b"game_id" in first or not all(re.search(pattern, first) for pattern in known_by)


EXAMPLES_SUITE = (
    "\b\nExamples:\n"
    "  calbench suite data/suites/paper72.csv --out tasks.jsonl\n"
    "  calbench suite data/suites/paper72.csv --out blocked.jsonl --blocked --difficulty paper\n"
    "  calbench suite large.csv --out large.jsonl --effort 20 --keep-unproven\n" + CODES
)


def suite(
    task_list: Annotated[Path, typer.Argument(metavar="LIST.csv", help="Tasks and their seeds, one a line.")],
    out: Annotated[Path, typer.Option(metavar="TASKS.jsonl", help="Where the tasks go.")],
    blocked: Annotated[bool, typer.Option("--blocked", help="Make some errands of each task immovable.")] = False,
    difficulty: Annotated[
        str, typer.Option(help="list: as the list has it; paper: each task's own third of its cell.")
    ] = "list",
    effort: Annotated[
        float, typer.Option(help="The most a task's optimum may take: the solver's own time, no clock's.", min=0)
    ] = 60.0,
    keep_unproven: Annotated[
        bool, typer.Option("--keep-unproven", help="Where that proves none, keep the best schedule and a bound.")
    ] = False,
    workers: Workers = None,
) -> None:
    """Make the tasks of a list: calendars, meetings, optimum, greedy and witness schedules."""
    from machine.cores import cores, map_ordered
    from machine.files import of_project
    from sim.runs.progress import progress
    from sim.tasks.lists import graded, moved_thirds, read_list
    from sim.tasks.suite import Solving, checked, make_listed_task, write_tasks

    if difficulty not in ("list", "paper"):
        raise UserError(f"there is no difficulty by {difficulty!r}; known: list, paper", BAD_USAGE)
    make = partial(make_listed_task, blocked=blocked, solving=Solving(effort, keep_unproven))
    with replacing_own(out, TASKS):
        entries = read_list(of_project(task_list))
        made = map_ordered(partial(checked, make), entries, workers or cores())
        tasks = list(progress(made, "making tasks", len(entries)))
        own = tasks if difficulty == "list" else graded(tasks)
        write_tasks(own, out)
    say(f"{len(entries)} tasks in {out}")
    if moved := moved_thirds(tasks):
        kept = "its own stands in the file" if own is not tasks else "--difficulty paper writes its own"
        say(f"{moved} of them lie in another third of their cell than the list says; {kept}")


EXAMPLES_SELECT = (
    "\b\nExamples:\n"
    "  calbench select --setting uniform --out list.csv\n"
    "  calbench select --setting varied --shape 5x3 --density 0.4 --candidates 50 --out list.csv\n"
    "  calbench select --setting varied --slots 24 --meetings 8 --out list.csv\n" + CODES
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
    slots: Annotated[int | None, typer.Option(help="Slots a calendar.", min=1, show_default="16")] = None,
    meetings: Annotated[int | None, typer.Option(help="Meetings a game.", min=1, show_default="5")] = None,
    workers: Workers = None,
) -> None:
    """Choose a suite: rank each cell's candidates by difficulty and keep some of each third."""
    from machine.cores import cores, map_ordered
    from sim.runs.progress import progress
    from sim.tasks import lists

    if setting not in lists.SETTINGS:
        known = ", ".join(lists.SETTINGS)
        raise UserError(f"there is no setting {setting!r}; known settings: {known}", BAD_USAGE)
    if per_third > candidates // 3:
        problem = f"a third of {candidates} candidates has no {per_third} tasks; ask for more candidates"
        raise UserError(problem, BAD_USAGE)
    with replacing_own(out, LIST):
        sizes = {column: size for column, size in (("num_slots", slots), ("num_meetings", meetings)) if size}
        chosen = lists.cells([read_shape(s) for s in shape] if shape else lists.SHAPES, density or lists.DENSITIES)
        choice = lists.Choice(setting, lists.SEED_BASES[setting], candidates, per_third, sizes)
        work = map_ordered(partial(lists.select_cell, choice=choice), chosen, workers or cores())
        selected = list(progress(work, "choosing tasks", len(chosen)))
        lists.write_list([row for rows in selected for row in rows], out)
    say(f"{sum(map(len, selected))} tasks of {len(chosen)} cells in {out}")


def read_shape(text: str) -> tuple[int, int]:
    """A shape written as 5x3: agents and participants. Raises UserError for any other text."""
    agents, _, participants = text.partition("x")
    if not (agents.isdecimal() and participants.isdecimal()):
        raise UserError(f"the shape {text!r} is not written as AGENTSxPARTICIPANTS, like 5x3", BAD_USAGE)
    return int(agents), int(participants)


def teams() -> None:
    """List the teams that `run --team` knows by name. Any other is a YAML file, or a model by LiteLLM's name."""
    from sim.runs.teams import named_teams

    named = named_teams()
    width = max(map(len, named))
    for name, team in named.items():
        say(f"{name:{width}}  {'simulated speakers' if team.simulated else 'protocol of the paper'}")


EXAMPLES_SERVE = "\b\nExamples:\n  calbench serve --port 8123\n  calbench serve --style judge --seconds 600\n"


def serve(
    port: Annotated[int, typer.Option(help="The port on 127.0.0.1; 0 takes a free one.", min=0, max=65535)] = 0,
    style: Annotated[
        str,
        typer.Option(help="How it negotiates: plain, candid (says private labels) or silent; judge reads messages."),
    ] = "plain",
    seconds: Annotated[float | None, typer.Option(help="Stop after so long.", show_default="never")] = None,
) -> None:
    """Serve a stub of a provider on this machine: OpenAI's chat API, answered by a simulated negotiator, or judge."""
    import asyncio

    from sim.models.serve.server import Stub
    from sim.models.serve.server import serve as serve_stub

    try:
        asyncio.run(serve_stub(Stub(style), port, seconds, partial(print, flush=True)))
    except (ValueError, OSError) as error:
        raise UserError(str(error), BAD_USAGE) from error


if __name__ == "__main__":
    run_program(app)
