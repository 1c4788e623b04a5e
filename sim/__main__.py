"""The benchmark's command line: `python -m sim suite | select | teams | run | serve | docs`."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from machine.terminal import Commands, VersionOption, run_program
from sim.runs.options import INTERRUPTED, fail, say, worker_count
from sim.runs.progress import progress, terminated_as_interrupted
from sim.runs.run import EXAMPLES, run


class SimCommands(Commands):
    """Commands of which only `run` takes URLs."""

    may_be_urls = {"run": ("--out", "--cluster")}  # noqa: RUF012

    def refuse(self, ctx: typer.Context, problem: str) -> None:
        """End the command with one line that says what is wrong."""
        fail(problem)


app = typer.Typer(
    cls=SimCommands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def main(version: VersionOption = False) -> None:
    """Make tasks from seeds, and let teams of agents play them."""


Workers = Annotated[int | None, typer.Option(help="Processes to use.", min=1, show_default="all cores")]

NOT_WRITTEN = 1
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
UNWRITABLE = (errno.EROFS, errno.EIO)
CODES = (
    "\n\nExit code: 0 when the file was written, 2 for bad usage, 1 when the disk is full or read-only, a process "
    "died, or Ctrl-C or SIGTERM ended it (then nothing was written)."
)


# What stands in the first line of a file of either kind, as patterns: any other would be lost.
SUITE, LIST = (b'"task_id":', b'"calendars":'), (b'task_id"?(,|$)', b'seed"?(,|$)')


@contextmanager
def writing(out: Path, known_by: tuple[bytes, ...], *wrong: type[Exception]) -> Iterator[None]:
    """A block that writes a file, whole or not at all, in place of none or of one of its kind. What keeps it from that
    is said in one line, and ends the command: what is `wrong` in what was asked for, a disk that is full, a process
    that died, an interruption."""
    from machine.cores import TOO_MANY_ADVICE, TOO_MANY_ERRNOS
    from machine.output import no_empty_folders

    again = "and run the same command again"
    if out.suffix in (".gz", ".zst"):
        fail(f"{out} would be plain text under the name of a packed file; call it {out.with_suffix('').name}")
    try:
        if is_other(out, known_by):
            fail(f"{out} is there, and holds something else; move it away, or name another file")
        with terminated_as_interrupted(), no_empty_folders([out.parent]):
            yield
    except wrong as error:
        fail(error)
    except KeyboardInterrupt:
        fail(f"{INTERRUPTED}; nothing was written: run the same command again", NOT_WRITTEN)
    except OSError as error:
        if error.errno in FULL:
            fail(f"{error}; nothing was written: make room, {again}", NOT_WRITTEN)
        if error.errno in TOO_MANY_ERRNOS:
            fail(f"{error}; nothing was written: {TOO_MANY_ADVICE}", NOT_WRITTEN)
        if error.errno in UNWRITABLE:
            fail(f"{error}; nothing was written: name a folder on a disk that can be written to", NOT_WRITTEN)
        fail(error)


def is_other(place: Path, known_by: tuple[bytes, ...]) -> bool:
    """Whether a file with something in it is there, in whose first line one of the patterns is not found, or which is
    of games."""
    if not place.is_file() or not place.stat().st_size:
        return False
    with place.open("rb") as file:
        first = file.readline().strip()
    return b"game_id" in first or not all(re.search(pattern, first) for pattern in known_by)


@app.command(
    epilog="\b\nExamples:\n"
    "  python -m sim suite data/suites/paper72.csv --out tasks.jsonl\n"
    "  python -m sim suite data/suites/paper72.csv --out blocked.jsonl --blocked --difficulty paper\n"
    "  python -m sim suite large.csv --out large.jsonl --effort 20 --keep-unproven\n" + CODES
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
    from functools import partial

    from machine.cores import map_ordered
    from machine.files import of_project
    from sim.tasks.lists import graded, moved_thirds, read_list
    from sim.tasks.suite import Solving, TaskError, checked, make_listed_task, write_tasks

    if difficulty not in ("list", "paper"):
        fail(f"there is no difficulty by {difficulty!r}; known: list, paper")
    make = partial(make_listed_task, blocked=blocked, solving=Solving(effort, keep_unproven))
    if out.resolve() == task_list.resolve():
        raise typer.BadParameter("it is the list itself; name another file.", param_hint="--out")
    with writing(out, SUITE, TaskError):
        entries = read_list(of_project(task_list))
        made = map_ordered(partial(checked, make), entries, worker_count(workers))
        tasks = list(progress(made, "making tasks", len(entries)))
        own = tasks if difficulty == "list" else graded(tasks)
        write_tasks(own, out)
    say(f"{len(entries)} tasks in {out}")
    if moved := moved_thirds(tasks):
        kept = "its own stands in the file" if own is not tasks else "--difficulty paper writes its own"
        say(f"{moved} of them lie in another third of their cell than the list says; {kept}")


@app.command(
    epilog="\b\nExamples:\n"
    "  python -m sim select --setting uniform --out list.csv\n"
    "  python -m sim select --setting varied --shape 5x3 --density 0.4 --candidates 50 --out list.csv\n"
    "  python -m sim select --setting varied --slots 24 --meetings 8 --errand-costs 1;10 --out list.csv\n" + CODES
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
    errand_costs: Annotated[
        str | None, typer.Option(metavar="A;B;…", help="Costs that errands cycle through.", show_default="1;100;1000")
    ] = None,
    seed_base: Annotated[int | None, typer.Option(help="[default: 320000 uniform, 420000 varied]")] = None,
    workers: Workers = None,
) -> None:
    """Choose a suite: rank each cell's candidates by difficulty and keep some of each third."""
    from functools import partial

    from machine.cores import map_ordered
    from sim.tasks.lists import (
        DENSITIES,
        SEED_BASES,
        SETTINGS,
        SHAPES,
        Choice,
        cells,
        read_costs,
        select_cell,
        write_list,
    )

    if setting not in SETTINGS:
        fail(f"there is no setting {setting!r}; known settings: {', '.join(SETTINGS)}")
    if per_third > candidates // 3:
        fail(f"a third of {candidates} candidates has no {per_third} tasks; ask for more candidates")
    with writing(out, LIST, ValueError):
        sizes = {column: size for column, size in (("num_slots", slots), ("num_meetings", meetings)) if size}
        costs = read_costs(setting, errand_costs)
        chosen = cells([read_shape(s) for s in shape] if shape else SHAPES, density or DENSITIES)
        base = SEED_BASES[setting] if seed_base is None else seed_base
        choice = Choice(setting, base, candidates, per_third, sizes, costs)
        work = map_ordered(partial(select_cell, choice=choice), chosen, worker_count(workers))
        selected = list(progress(work, "choosing tasks", len(chosen)))
        write_list([row for rows in selected for row in rows], out)
    say(f"{sum(map(len, selected))} tasks of {len(chosen)} cells in {out}")


@app.command(epilog="\b\nExamples:\n  python -m sim teams\n  python -m sim teams --json\n")
def teams(as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False) -> None:
    """List the teams that `run --team` knows by name. Any other is a YAML file, or a model by LiteLLM's name."""
    import json

    from sim.runs.teams import described_teams

    rows = described_teams()
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    width = max(len(row["team"]) for row in rows)
    for row in rows:
        say(f"{row['team']:{width}}  {row['kind']}")


app.command(epilog=EXAMPLES)(run)


@app.command(
    epilog="\b\nExamples:\n  python -m sim serve --port 8123\n  python -m sim serve --style judge --seconds 600\n"
)
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
    from functools import partial

    from sim.models.serve.server import Stub
    from sim.models.serve.server import serve as serve_stub

    try:
        asyncio.run(serve_stub(Stub(style), port, seconds, partial(print, flush=True)))
    except (ValueError, OSError) as error:
        fail(error)


@app.command()
def docs(check: Annotated[bool, typer.Option("--check", help="Only say whether they are up to date.")] = False) -> None:
    """Build the documents that are made from code: the page about simulated styles, and the trace's schema."""
    from sim.runs import documents

    if not check:
        documents.write()
    elif late := documents.behind():
        fail(f"behind the code: {', '.join(map(str, late))}; run `python -m pipeline docs`", NOT_WRITTEN)


def read_shape(text: str) -> tuple[int, int]:
    """A shape written as 5x3: agents and participants."""
    agents, _, participants = text.partition("x")
    if not (agents.isdecimal() and participants.isdecimal()):
        fail(f"the shape {text!r} is not written as AGENTSxPARTICIPANTS, like 5x3")
    return int(agents), int(participants)


if __name__ == "__main__":
    run_program(app)
