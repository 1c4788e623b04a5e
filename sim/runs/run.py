"""The command `python -m sim run`: which games, who plays them, and what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.runs.options import INTERRUPTED, RunOptions, fail, read_channels, read_shard
from sim.runs.progress import terminated_as_interrupted

if TYPE_CHECKING:
    from sim.runs.standing import Job

NOT_WRITTEN, STOPPED = 1, 4

AGAIN = "run the same command again (into a folder, with --resume)"

EXAMPLES = (
    "\b\nExamples:\n"
    "  python -m sim run tasks.jsonl --team imap --out traces\n"
    "  python -m sim run tasks.jsonl --team imap --team team.yaml --out traces --repeats 3 --resume\n"
    "  python -m sim run tasks.jsonl --team data/teams/gpt-5.4-mini.yaml --out traces --dry-run\n"
    "  python -m sim run tasks.jsonl --team candid --out traces-2 --shard 2/8\n"
    "  python -m sim run tasks.jsonl --team candid --out s3://bucket/traces --cluster tcp://10.0.0.1:8786\n"
    "  python -m sim run tasks.jsonl --team openai/gpt-5.4-mini --out traces --max-cost 5 --resume\n"
    "\n\nExit code: 0 when every game was played to its end, 4 when some stopped or were not begun, as after Ctrl-C or "
    "SIGTERM (run again with --resume), 2 for bad usage, where another run writes to DIR or where what stands there "
    "would be replaced, 1 when the disk is full, a store is lost or a process died (every trace that is there is "
    "whole; run again with --resume)."
)


def run(
    tasks: Annotated[Path, typer.Argument(metavar="TASKS.jsonl", help="Tasks made with `sim suite`.")],
    team: Annotated[
        list[str],
        typer.Option(help="A team's name, a model as LiteLLM calls it, or a YAML file of agents; repeatable."),
    ],
    out: Annotated[
        str, typer.Option(metavar="DIR", help="Where the traces go: a folder or one file FILE.jsonl.zst; or its URL.")
    ],
    repeats: Annotated[int, typer.Option(help="Games of each team on each task.", min=1)] = 1,
    workers: Annotated[int | None, typer.Option(help="Processes to use.", min=1, show_default="all cores")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Keep this run's finished games.")] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what else stands there: other games, games of models.")
    ] = False,
    limit: Annotated[int | None, typer.Option(help="Only the first so many tasks.", min=1)] = None,
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
    concurrency: Annotated[int, typer.Option(help="Games at once, for teams with a language model.", min=1)] = 8,
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep models' answers there, and take them from there.",
            show_default="a folder of yours for caches, for what providers charge",
        ),
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep no answers, and ask every question.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Ask nobody: answers come from the cache alone.")] = False,
    preset: Annotated[
        str | None, typer.Option(metavar="NAME", help="Parameters of the models named in --team: paper.")
    ] = None,
    prompts: Annotated[
        Path | None, typer.Option(metavar="FILE.py", help="Ask all models in the words of that file, which is run.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only ask each model once, and show what it took and refused.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only estimate calls, tokens and money.")] = False,
    max_cost: Annotated[
        float | None, typer.Option(metavar="USD", help="Stop when models have cost so much.", min=0)
    ] = None,
    allow_unknown_prices: Annotated[
        bool, typer.Option("--allow-unknown-prices", help="Let --max-cost count known prices only.")
    ] = False,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Only the I-th of N parts: one a machine, each with its own DIR.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="tcp://HOST:PORT", help="Play on the workers of a Dask scheduler.")
    ] = None,
) -> None:
    """Play games: each team on each task, one trace a game."""
    asked = locals()
    from sim.runs.options import destination_of

    with terminated_as_interrupted():
        try:
            carry_out(RunOptions(**asked | {"out": destination_of(out)}))
        except KeyboardInterrupt:
            fail(f"{INTERRUPTED}; {AGAIN}", STOPPED)


def carry_out(o: RunOptions) -> None:
    """Play what was asked for, and say what became of it."""

    from machine.cores import TOO_MANY_ADVICE, TOO_MANY_ERRNOS
    from machine.output import no_empty_folders
    from sim.models.cache import Unwritable
    from sim.models.checks import KeyMissing
    from sim.models.prices import UnknownPrice
    from sim.models.prompts.builders import PromptsError
    from sim.models.spans import NoSpans
    from sim.runs.options import alone
    from sim.runs.playing import check_only, estimate_only, play_all_of
    from sim.runs.standing import InTheWay
    from sim.runs.teams import TeamError
    from sim.tasks.labels import LabelError
    from sim.tasks.suite import TaskError

    try:
        jobs = planned(o)
        if o.check:
            check_only(o, jobs)
        elif o.dry_run:
            estimate_only(o, jobs)
        else:
            with no_empty_folders(folders_of(jobs)), alone(o.out, folders_searched(o, jobs)):
                play_all_of(o, jobs)
    except (TaskError, TeamError, PromptsError, LabelError, KeyMissing, UnknownPrice, NoSpans) as error:
        fail(error)
    except (InTheWay, Unwritable) as error:
        fail(error)
    except (FileExistsError, NotADirectoryError, PermissionError) as error:
        fail(f"{error}; name a folder that can be written to")
    except OSError as error:
        remedy = TOO_MANY_ADVICE if error.errno in TOO_MANY_ERRNOS else "make room"
        fail(f"{error}; every trace there is whole: {remedy}, and {AGAIN}", NOT_WRITTEN)


def folders_of(jobs: Sequence[Job]) -> set[Path]:
    """The folders of this machine that the run's traces go to."""
    return {job.path.parent for job in jobs if isinstance(job.path, Path)}


def folders_searched(o: RunOptions, jobs: Sequence[Job]) -> set[Path]:
    """These, and those in which other runs may leave the same games."""
    from sim.runs.options import is_pack
    from sim.runs.standing import Job, other_paths

    others = [] if is_pack(o.out) else [Job(job.play, path) for job in jobs for path in other_paths(job, o.out)]
    return folders_of(jobs) | folders_of(others)


def planned(o: RunOptions) -> list[Job]:
    """Every game that was asked for. Raises TaskError or TeamError."""
    from sim.game.game import Limits
    from sim.runs.options import is_pack
    from sim.runs.runner import in_shard, jobs_for
    from sim.runs.teams import TeamError, load_team, waits, with_prompts
    from sim.tasks.suite import TaskError, read_tasks

    if is_pack(o.out) and o.resume:
        fail(f"{o.out}: a pack is written whole, there is nothing to resume; name a folder")
    tasks, teams = read_tasks(o.tasks)[: o.limit], [load_team(name, o.preset) for name in o.team]
    for option, given in (("--preset", o.preset), ("--prompts", o.prompts)):
        if given and not any(waits(spec) for team in teams for spec in team.agents):
            raise TeamError(f"{option} {given} is for models, and no --team names one; leave it out, or name a model")
    if o.prompts:
        teams = [with_prompts(team, str(o.prompts)) for team in teams]
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
    check_prompts(jobs, limits.channels)
    return in_shard(jobs, read_shard(o.shard))


def check_prompts(jobs: Sequence[Job], channels: Sequence[str]) -> None:
    """Try the builders of each file of prompts. Raises PromptsError."""
    from sim.models.prompts.builders import try_builders
    from sim.runs.runner import models_of

    for path in sorted({p.prompts for p in models_of(jobs) if p.prompts is not None}):
        try_builders(path, channels)


def check_plays(jobs: Sequence[Job]) -> None:
    """End with a message where a team doesn't fit, can't probe, or two games would write the same file,
    also on a disk that takes names for equal in which letters differ in case, or are composed otherwise."""
    from machine.files import folded
    from sim.runs.teams import TeamError, speaks

    for job in jobs:
        silent = next((s for s in job.play.specs if s.nosy and not speaks(s)), None)
        if silent:
            raise TeamError(f"team {job.play.team.team}: agents of type {silent.type} can't probe; use llm or style")
    places: dict[str, object] = {}
    for job in jobs:
        place = folded(str(job.path))
        if (other := places.setdefault(place, job.path)) is not job.path:
            equal = "" if other == job.path else f" and {other}, one file where disks do not tell cases apart"
            fail(f"two games would both write {job.path}{equal}; give teams and tasks different names")
