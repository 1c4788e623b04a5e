"""The command `run`: which games, who plays them, and what became of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from machine.errors import UserError
from machine.terminal import BAD_USAGE, FAILED, INTERRUPTED, failure_text, say

if TYPE_CHECKING:
    from sim.models.cache import Cache
    from sim.models.money import Ledger, Reserve
    from sim.runs.existing import Job
    from sim.runs.outcomes import Outcomes

STOPPED = 4
# The command, as its manifest names it.
RUN = "run"
# Games at once where a model plays, unless --workers says how many.
AT_ONCE = 8
# Names of files that are no folder's: what would be played into one would lie beside the file.
FILES = (".json", ".jsonl", ".zst", ".gz", ".csv", ".txt", ".parquet")

EXAMPLES = (
    "\b\nExamples:\n"
    "  calbench run tasks.jsonl --team imap --out traces\n"
    "  calbench run tasks.jsonl --team imap --team team.yaml --out traces --repeats 3 --resume\n"
    "  calbench run tasks.jsonl --team data/teams/gpt-5.4-mini.yaml --out traces --dry-run\n"
    "  calbench run tasks.jsonl --team openai/gpt-5.4-mini --out traces --max-cost 5 --resume\n"
    "  calbench run tasks.jsonl --team candid --out s3://bucket/traces --cluster tcp://10.0.0.1:8786\n"
    "\n\nExit code: 0 when every game was played to its end, 4 when some stopped or were not begun, 130 after Ctrl-C "
    "or SIGTERM (after both run again with --resume), 2 for bad usage, where another run writes to DIR or where what "
    "is there would be replaced, 1 when the disk is full, a store is lost or a process died (every trace that is there "
    "is whole; run again with --resume)."
)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What the command was asked for; `run` documents each."""

    tasks: Path
    team: list[str]
    out: Path | str
    repeats: int
    limit: int | None
    workers: int | None
    resume: bool
    overwrite: bool
    max_turns: int
    decision_retries: int
    dm_cap: int | None
    channels: str
    adversary: int | None
    cache: Path | None
    max_cost: float | None
    check: bool
    dry_run: bool
    cluster: str | None


def run(
    tasks: Annotated[Path, typer.Argument(metavar="TASKS.jsonl", help="Tasks made with `suite`.")],
    team: Annotated[
        list[str],
        typer.Option(help="A team's name, a model as LiteLLM calls it, or a YAML file of agents; repeatable."),
    ],
    out: Annotated[
        str, typer.Option(metavar="DIR", help="Where the traces go: a folder or one file FILE.jsonl.zst; or its URL.")
    ],
    repeats: Annotated[int, typer.Option(help="Games of each team on each task.", min=1)] = 1,
    limit: Annotated[int | None, typer.Option(help="Only the first so many tasks.", min=1)] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes; games at once where a model plays.", min=1, show_default="all cores; 8"),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Keep this run's finished games.")] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what else is there: other games, games of models.")
    ] = False,
    max_turns: Annotated[int, typer.Option(help="Sweeps of cheap talk a round.", min=1, max=100_000)] = 15,
    decision_retries: Annotated[
        int, typer.Option(help="Retries of a rejected DECISION batch.", min=0, max=100_000)
    ] = 3,
    dm_cap: Annotated[int | None, typer.Option(help="Messages a game.", min=0, show_default="no cap")] = None,
    channels: Annotated[
        str, typer.Option(help="Open channels, with commas: dm, participant_groupchat, all_groupchat.")
    ] = "dm",
    adversary: Annotated[
        int | None, typer.Option(metavar="AGENT", help="The agent that probes the others.", min=0)
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep models' answers there, and take them from there.",
            show_default="a folder of yours for caches, for what providers charge",
        ),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(metavar="USD", help="Stop when models have cost so much; 0: take answers of the cache.", min=0),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only ask each model once, and show what it took and refused.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only estimate calls, tokens and money.")] = False,
    cluster: Annotated[
        str | None, typer.Option(metavar="tcp://HOST:PORT", help="Play on the workers of a Dask scheduler.")
    ] = None,
) -> None:
    """Play games: each team on each task, one trace a game."""
    asked = locals()
    from sim.tasks.labels import LabelError
    from sim.tasks.suite import TaskError

    try:
        carry_out(RunOptions(**asked | {"out": destination_of(out)}))
    except (TaskError, LabelError) as error:
        raise UserError(str(error), BAD_USAGE) from error
    except (FileExistsError, NotADirectoryError, PermissionError) as error:
        raise UserError(f"{error}; name a folder that can be written to", BAD_USAGE) from error
    except OSError as error:
        problem = f"{failure_text(error)}; every trace there is whole: run the same command again with --resume"
        raise UserError(problem, FAILED) from error
    except KeyboardInterrupt:
        raise UserError("interrupted; run the same command again with --resume", INTERRUPTED) from None


def destination_of(out: str) -> Path | str:
    """A path of this machine, or the URL of a folder or pack. Raises UserError for any other."""
    from machine.output import output_destination
    from sim.runs.existing import is_pack

    place = output_destination(out)
    if isinstance(place, str) and place.endswith(FILES) and not is_pack(place):
        raise UserError(f"{out} is called as a file is; name a folder, or a pack, .jsonl.zst", BAD_USAGE)
    return place


def carry_out(o: RunOptions) -> None:
    """Play what was asked for, and say what became of it."""
    jobs = planned(o)
    if o.check:
        check_only(o, jobs)
    elif o.dry_run:
        estimate_only(o, jobs)
    else:
        with alone(o.out, jobs):
            play_all_of(o, jobs)


def planned(o: RunOptions) -> list[Job]:
    """Every game that was asked for. Raises UserError and TaskError."""
    from sim.game.game import Limits
    from sim.models.prompts.builders import try_builders
    from sim.runs.existing import is_pack
    from sim.runs.runner import jobs_for, models_of
    from sim.runs.teams import load_team
    from sim.tasks.suite import TaskError, read_tasks

    if is_pack(o.out) and o.resume:
        raise UserError(f"{o.out}: a pack is written whole, there is nothing to resume; name a folder", BAD_USAGE)
    tasks, teams = read_tasks(o.tasks)[: o.limit], [load_team(name) for name in o.team]
    small = next((t for t in tasks if o.adversary is not None and o.adversary >= t.num_agents), None)
    if small:
        raise TaskError(f"task {small.task_id} has no agent {o.adversary}; name one from 0 to {small.num_agents - 1}")
    limits = Limits(
        max_turns_per_round=o.max_turns,
        decision_retries=o.decision_retries,
        dm_cap=o.dm_cap,
        channels=read_channels(o.channels),
    )
    jobs = jobs_for(tasks, teams, limits, o.repeats, o.out, o.adversary)
    check_plays(jobs)
    for path in sorted({p.prompts for p in models_of(jobs) if p.prompts is not None}):
        try_builders(path, limits.channels)
    return jobs


def read_channels(text: str) -> tuple[str, ...]:
    """The channels that a list with commas names."""
    from sim.game.game import CHANNELS

    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    wrong = next((n for n in names if n not in CHANNELS), None)
    if wrong or not names:
        problem = f"there is no channel {wrong!r}" if wrong else "no channel is open"
        raise UserError(f"{problem}; known channels: {', '.join(CHANNELS)}", BAD_USAGE)
    return names


def check_plays(jobs: Sequence[Job]) -> None:
    """Raise UserError where a team can't probe, or two games would write the same file, also on a disk that takes names
    for equal in which letters differ in case, or are composed otherwise."""
    from machine.files import folded
    from sim.runs.teams import speaks

    places: dict[str, object] = {}
    for job in jobs:
        silent = next((s for s in job.play.specs if s.nosy and not speaks(s)), None)
        if silent:
            problem = f"team {job.play.team.team}: agents of type {silent.type} can't probe; use llm or style"
            raise UserError(problem, BAD_USAGE)
        if (other := places.setdefault(folded(str(job.path)), job.path)) is not job.path:
            equal = "" if other == job.path else f" and {other}, one file where disks do not tell cases apart"
            problem = f"two games would both write {job.path}{equal}; give teams and tasks different names"
            raise UserError(problem, BAD_USAGE)


@contextmanager
def alone(out: Path | str, jobs: Sequence[Job]) -> Iterator[None]:
    """Keep other runs out of the folder of traces, and of those within it that runs of several teams write to. Folders
    in which nothing was written go.

    Packs appear whole, side by side: of two runs that write the same one, the last one's stays. So does each trace in a
    store, which has no locks. Raises UserError where another run is at work, or nothing can be written.
    """
    from machine.output import exclusive_access, no_empty_folders, remove_empty
    from machine.stores import check_writable
    from sim.runs.existing import is_pack

    if isinstance(out, str):
        check_writable(out.rpartition("/")[0] if is_pack(out) else out)
        yield
        return
    if is_pack(out):
        with no_empty_folders([out.parent]):
            yield
        return
    held = {out, *(out / job.play.team.team for job in jobs)}
    with ExitStack() as stack:
        made = [folder for folder in {*held, *out.parents} if not folder.exists()]
        stack.callback(remove_empty, made)
        for folder in sorted(held):
            stack.enter_context(exclusive_access(folder))
        yield


def check_only(o: RunOptions, jobs: Sequence[Job]) -> None:
    """Ask each model its first question once, and say what came of it; exit code 4 where one gave no answer."""
    from sim.models.checks import check_models
    from sim.runs.check import check, first_questions, keep, lines, request_text

    questions, folder, failed = first_questions(jobs), cache_of(o).folder / "checks", False
    if not questions:
        say("nothing to check: no team has a language model")
    check_models(p for p, _ in questions)
    for p, ask in questions:
        say(f"{p.model} is asked:")
        typer.echo(request_text(p, ask))
        result = check(p, ask)
        for line in lines(result):
            say(line)
        failed = failed or result.problem is not None
        if result.problem is None:
            keep(folder, p, result)
    if failed:
        raise typer.Exit(STOPPED)


def estimate_only(o: RunOptions, jobs: Sequence[Job]) -> None:
    """Say what the games that are left would take."""
    from sim.runs.estimate import estimate, lines
    from sim.runs.existing import decide_all
    from sim.runs.play import is_waiting

    left = [d.job for d in decide_all(jobs, o.out, o.resume, overwrite=True) if d.is_played]
    later = [job for job in left if is_waiting(job.play)]
    say(f"{len(left)} games to play, {len(later)} of them with language models")
    if not later:
        say("nothing to pay: no team has a language model")
        return
    for line in lines(estimate(later, cache_of(o).folder / "checks")):
        say(line)


def play_all_of(o: RunOptions, jobs: Sequence[Job]) -> None:
    """Play the games that are left, and say what became of them."""
    from machine.cores import cores
    from sim.models.money import Ledger
    from sim.runs.existing import decide_all
    from sim.runs.outcomes import INTERRUPTED as CUT_SHORT
    from sim.runs.outcomes import Outcomes
    from sim.runs.play import is_waiting
    from sim.runs.runner import play_scripted

    decisions = decide_all(jobs, o.out, o.resume, o.overwrite)
    jobs, left = [d.job for d in decisions], [d.job for d in decisions if d.is_played]
    later, ledger, outcomes = [job for job in left if is_waiting(job.play)], Ledger(o.max_cost or None), Outcomes()
    if later:
        check_provider(o, later)
    list_traces(o.out, jobs, left, played=False)
    scripted = [job for job in left if not is_waiting(job.play)]
    play_scripted(scripted, o.out, o.cluster or o.workers or cores(), outcomes)
    if outcomes.causes[CUT_SHORT]:
        outcomes.interrupted(len(later))
    elif later:
        play_later(later, o, ledger, outcomes)
    list_traces(o.out, jobs, left, played=True)
    kept = f", {len(jobs) - len(left)} were there already" if o.resume else ""
    say(f"{outcomes.ended} games played{kept}; traces in {o.out}")
    report(o, ledger, outcomes)


def check_provider(o: RunOptions, later: Sequence[Job]) -> None:
    """Raise an error, before any game begins, where the models can't be asked or the budget not be kept."""
    from machine.output import check_room
    from sim.models.checks import check_models
    from sim.models.library import litellm
    from sim.models.prices import check_prices
    from sim.models.spans import tracer
    from sim.runs.existing import is_pack
    from sim.runs.runner import models_of

    if is_pack(o.out):
        problem = "answers that are paid for must not wait for a whole pack; name a folder"
        raise UserError(f"{o.out}: {problem}", BAD_USAGE)
    models = models_of(later)
    tracer()
    if o.max_cost != 0:
        check_models(models)
    if o.max_cost:
        check_prices(models, litellm())
    try:
        if isinstance(o.out, Path):
            check_room(o.out)
    except OSError as error:
        problem = f"no trace can be written in {o.out} ({error.strerror}): make room, or name another"
        raise UserError(problem, BAD_USAGE) from error
    if o.max_cost != 0 and any(map(cache_of(o).keeps, models)):
        cache_of(o).check_writable("name another folder with --cache")


def list_traces(out: Path | str, jobs: Sequence[Job], left: Sequence[Job], played: bool) -> None:
    """Write which traces the runs into the folder wrote: before the games without those that are left to play, so that
    a run that is killed lists nothing that it replaced; afterwards with them. A pack is one file, and appears whole."""
    from machine.manifests import any_manifest, manifest_path
    from machine.output import write_manifest
    from sim.runs.existing import is_pack, places_of

    if is_pack(out) or not isinstance(out, Path):
        return
    listed = any_manifest(manifest_path(out, RUN)).files
    ours = {place for job in jobs for place in places_of(job, out)}
    gone = {job.path for job in left} | {place for place in ours if not Path(place).is_file()}
    kept = {name: digest for name, digest in listed.items() if out / name not in gone}
    paths = [job.path for job in jobs if isinstance(job.path, Path) and job.path.is_file()] if played else []
    new = [path for path in paths if path.relative_to(out).as_posix() not in kept]
    if new or kept:
        write_manifest(out, RUN, new, kept)
    elif listed:
        manifest_path(out, RUN).unlink()


def play_later(jobs: Sequence[Job], o: RunOptions, ledger: Ledger, outcomes: Outcomes) -> None:
    """Play the games with a provider."""
    import asyncio

    from sim.models.provider import Provider
    from sim.runs.outcomes import so_far
    from sim.runs.progress import counting, failure_log, telling
    from sim.runs.runner import models_of, play_waiting

    before = outcomes.accounted_for

    async def play() -> None:
        provider = Provider(models_of(jobs), ledger, cache_of(o), failure_log(o.out), o.max_cost == 0)
        async with telling(lambda: so_far(outcomes, ledger, outcomes.accounted_for - before, len(jobs))):
            await play_waiting(jobs, provider, reserve, o.workers or AT_ONCE, outcomes, count)

    try:
        reserve = reserve_for(o, jobs, ledger)
        with counting("playing", len(jobs)) as count:
            asyncio.run(play())
    except KeyboardInterrupt:
        outcomes.interrupted(len(jobs) - (outcomes.accounted_for - before))


def reserve_for(o: RunOptions, jobs: Sequence[Job], ledger: Ledger) -> Reserve:
    """The run's budget with what a game of each team would cost by estimate; where nothing limits it, with none."""
    from sim.models.money import Reserve
    from sim.runs.estimate import estimate

    one_each = {job.play.team.team: job for job in jobs} if o.max_cost else {}
    checks = cache_of(o).folder / "checks"
    return Reserve(ledger, {team: sum(r.usd or 0.0 for r in estimate([job], checks)) for team, job in one_each.items()})


def cache_of(o: RunOptions) -> Cache:
    """Where answers are kept: in the folder that was named, else in the user's own, what providers charge for."""
    from sim.models.cache import Cache, users_folder

    return Cache(o.cache) if o.cache else Cache(users_folder(), paid_only=True)


def report(o: RunOptions, ledger: Ledger, outcomes: Outcomes) -> None:
    """What the models took, how their answers were read, and which games did not end and why; exit code 4 where there
    are any, 130 where Ctrl-C or SIGTERM ended them."""
    from sim.runs import outcomes as told
    from sim.runs.existing import is_pack

    for model, tally in sorted(ledger.tallies.items()):
        say(f"{model}: {tally.text}")
    for line in told.answer_lines(outcomes.answers):
        say(line, sys.stderr if line.startswith("warning") else None)
    if not outcomes.causes:
        return
    say(f"{outcomes.stopped} games stopped, {outcomes.not_begun} not begun or lost:", sys.stderr)
    say("games  cause", sys.stderr)
    for cause, number in outcomes.causes.most_common():
        say(f"{number:>5}  {cause}", sys.stderr)
    if outcomes.not_written:
        say(f"{outcomes.not_written} of them left no trace: the one that was there had come further", sys.stderr)
    again = "run the same command again" if is_pack(o.out) else "run the same command with --resume"
    say(f"{again} to play them", sys.stderr)
    raise typer.Exit(INTERRUPTED if outcomes.causes[told.INTERRUPTED] else STOPPED)
