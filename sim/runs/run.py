"""The command `python -m sim run`: which games, who plays them, and what became of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.runs.options import counting, fail, progress, read_channels, read_shard, say, worker_count

if TYPE_CHECKING:
    from sim.models.money import Ledger
    from sim.runs.runner import Job, Outcomes

NOT_WRITTEN, STOPPED = 1, 4

AGAIN = "run the same command again (into a folder, with --resume)"

EXAMPLES = (
    "\b\nExamples:\n"
    "  python -m sim run tasks.jsonl --team imap --out traces\n"
    "  python -m sim run tasks.jsonl --team imap --team team.yaml --out traces --repeats 3 --resume\n"
    "  python -m sim run tasks.jsonl --team data/teams/gpt-5.4-mini.yaml --out traces --dry-run\n"
    "  python -m sim run tasks.jsonl --team candid --out traces-2 --shard 2/8\n"
    "  python -m sim run tasks.jsonl --team candid --out s3://bucket/traces --cluster tcp://10.0.0.1:8786\n"
    "  python -m sim run tasks.jsonl --team data/teams/local.yaml --out traces --max-cost 5 --cache answers --resume\n"
    "\n\nExit code: 0 when every game was played to its end, 4 when some stopped or were not begun (run again with "
    "--resume), 2 for bad usage or where another run writes to DIR, 1 when the disk is full, a store is lost or a "
    "process died (every trace that is there is whole; run again with --resume)."
)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What the command was asked for; `run` documents each."""

    tasks: Path
    team: list[str]
    out: Path | str
    repeats: int
    workers: int | None
    resume: bool
    limit: int | None
    max_turns: int
    decision_retries: int
    dm_cap: int | None
    channels: str
    adversary: int | None
    concurrency: int
    cache: Path | None
    dry_run: bool
    max_cost: float | None
    allow_unknown_prices: bool
    shard: str | None
    cluster: str | None


def run(
    tasks: Annotated[Path, typer.Argument(metavar="TASKS.jsonl", help="Tasks made with `sim suite`.")],
    team: Annotated[list[str], typer.Option(help="A team's name, or a YAML file that lists its agents; repeatable.")],
    out: Annotated[
        str, typer.Option(metavar="DIR", help="Where the traces go: a folder or one file FILE.jsonl.zst; or its URL.")
    ],
    repeats: Annotated[int, typer.Option(help="Games of each team on each task.", min=1)] = 1,
    workers: Annotated[int | None, typer.Option(help="Processes to use.", min=1, show_default="all cores")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Keep the games that are already there.")] = False,
    limit: Annotated[int | None, typer.Option(help="Only the first so many tasks.", min=1)] = None,
    max_turns: Annotated[int, typer.Option(help="Sweeps of cheap talk a round.", min=1)] = 15,
    decision_retries: Annotated[int, typer.Option(help="Retries of a rejected DECISION batch.", min=0)] = 3,
    dm_cap: Annotated[int | None, typer.Option(help="Messages a game.", min=0, show_default="no cap")] = None,
    channels: Annotated[
        str, typer.Option(help="Open channels, with commas: dm, participant_groupchat, all_groupchat.")
    ] = "dm",
    adversary: Annotated[
        int | None, typer.Option(metavar="AGENT", help="The agent that probes the others.", min=0)
    ] = None,
    concurrency: Annotated[int, typer.Option(help="Games at once, for teams with a language model.", min=1)] = 8,
    cache: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep models' answers there, and take them from there.")
    ] = None,
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
    from sim.runs.options import NoDestination, destination_of

    try:
        carry_out(RunOptions(**asked | {"out": destination_of(out)}))
    except NoDestination as error:
        fail(error)


def carry_out(o: RunOptions) -> None:
    """Play what was asked for, and say what became of it."""
    from machine.executor import ClusterError
    from machine.files import InUse
    from machine.process_pool import WorkerDied
    from machine.processes import TOO_MANY_ADVICE, TOO_MANY_ERRNOS
    from machine.stores import Unreachable
    from sim.models.attempts import KeyMissing
    from sim.models.money import UnknownPrice
    from sim.runs.options import alone
    from sim.runs.teams import TeamError
    from sim.tasks.labels import LabelError
    from sim.tasks.suite import TaskError

    try:
        jobs = planned(o)
        if o.dry_run:
            estimate_only(o, jobs)
        else:
            with alone(o.out):
                play_all_of(o, jobs)
    except (TaskError, TeamError, LabelError, KeyMissing, UnknownPrice, InUse, ClusterError) as error:
        fail(error)
    except (FileExistsError, NotADirectoryError, PermissionError) as error:
        fail(f"{error}; name a folder that can be written to")
    except Unreachable as error:
        fail(f"{error}; every trace there is whole: then {AGAIN}", NOT_WRITTEN)
    except OSError as error:
        remedy = TOO_MANY_ADVICE if error.errno in TOO_MANY_ERRNOS else "make room"
        fail(f"{error}; every trace there is whole: {remedy}, and {AGAIN}", NOT_WRITTEN)
    except (WorkerDied, MemoryError):
        fail(f"a process died, perhaps for lack of memory; {AGAIN}, perhaps with --workers 1", NOT_WRITTEN)


def missing(o: RunOptions, jobs: Sequence[Job]) -> list[Job]:
    """The games that are left to play."""
    from sim.runs.runner import unplayed

    return unplayed(jobs, o.out) if o.resume else list(jobs)


def estimate_only(o: RunOptions, jobs: Sequence[Job]) -> None:
    """Say what the games that are left would take."""
    from sim.runs.runner import is_waiting

    left = missing(o, jobs)
    estimated([job for job in left if is_waiting(job.play)], len(left))


def play_all_of(o: RunOptions, jobs: Sequence[Job]) -> None:
    """Play the games that are left, and say what became of them."""
    from sim.runs.runner import Outcomes, is_waiting

    left = missing(o, jobs)
    later = [job for job in left if is_waiting(job.play)]
    ledger = provider_ledger(o, later)
    play_now([job for job in left if not is_waiting(job.play)], o)
    outcomes = play_later(later, o, ledger) if later else Outcomes()
    played = len(left) - outcomes.stopped - outcomes.not_begun
    kept = f", {len(jobs) - len(left)} were there already" if o.resume else ""
    say(f"{played} games played{kept}; traces in {o.out}")
    report(outcomes, ledger)


def planned(o: RunOptions) -> list[Job]:
    """Every game that was asked for. Raises TaskError or TeamError."""
    from sim.game.game import Limits
    from sim.runs.options import is_pack
    from sim.runs.runner import in_shard, jobs_for
    from sim.runs.teams import load_team
    from sim.tasks.suite import TaskError, read_tasks

    if is_pack(o.out) and o.resume:
        fail(f"{o.out}: a pack is written whole, there is nothing to resume; name a folder")
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
    return in_shard(jobs, read_shard(o.shard))


def check_plays(jobs: Sequence[Job]) -> None:
    """End with a message where a team doesn't fit, can't probe, or two games would write the same file."""
    from sim.runs.teams import TeamError, speaks

    for job in jobs:
        silent = next((s for s in job.play.specs if s.nosy and not speaks(s)), None)
        if silent:
            raise TeamError(f"team {job.play.team.team}: agents of type {silent.type} can't probe; use llm or style")
    paths = [str(job.path) for job in jobs]
    twice = next((p for p in paths if paths.count(p) > 1), None) if len(set(paths)) < len(paths) else None
    if twice:
        fail(f"two games would both write {twice}; give the teams different names")


def estimated(later: Sequence[Job], games: int) -> None:
    """Print what a run would take."""
    from sim.runs.estimate import estimate, lines

    say(f"{games} games to play, {len(later)} of them with language models")
    for line in lines(estimate(later)) if later else ["nothing to pay: no team has a language model"]:
        say(line)


def provider_ledger(o: RunOptions, later: Sequence[Job]) -> Ledger:
    """The run's account, after checking that the models can be asked and the budget kept, before any game begins."""
    from sim.models.attempts import check_access
    from sim.models.money import Ledger, check_prices
    from sim.runs.options import is_pack
    from sim.runs.runner import models_of

    if later and is_pack(o.out):
        fail(f"{o.out}: answers that are paid for must not wait for a whole pack; name a folder")
    models = models_of(later)
    for p in models if o.cache is None else ():
        check_access(p)
    if models and o.max_cost is not None and not o.allow_unknown_prices:
        from sim.models.provider import litellm

        check_prices(models, litellm())
    return Ledger(o.max_cost)


def play_now(jobs: Sequence[Job], o: RunOptions) -> None:
    """Play the games whose agents answer at once, on all cores."""
    from machine.executor import map_ordered
    from machine.files import write_atomically
    from sim.runs.options import is_pack
    from sim.runs.runner import play_all, play_packed

    workers = o.cluster or worker_count(o.workers)
    if is_pack(o.out):
        frames = map_ordered(play_packed, [job.play for job in jobs], workers)
        write_atomically(o.out, progress(frames, "playing", len(jobs)))
    else:
        for _ in progress(play_all(jobs, workers), "playing", len(jobs)):
            pass


def play_later(jobs: Sequence[Job], o: RunOptions, ledger: Ledger) -> Outcomes:
    """Play the games with a provider; when interrupted, say what was done and end."""
    import asyncio

    from sim.models.provider import Cache, Provider
    from sim.runs.runner import Outcomes, models_of, play_waiting

    outcomes = Outcomes()

    async def play() -> None:
        provider = Provider(models_of(jobs), ledger, Cache(o.cache) if o.cache else None)
        await play_waiting(jobs, provider, ledger, o.concurrency, outcomes, count)

    with counting("playing", len(jobs)) as count:
        try:
            asyncio.run(play())
        except KeyboardInterrupt:
            left = len(jobs) - outcomes.ended - outcomes.stopped - outcomes.not_begun
            outcomes.not_begun += left
            outcomes.causes["interrupted"] += left
    return outcomes


def report(outcomes: Outcomes, ledger: Ledger) -> None:
    """What the models took, and which games did not end and why; exit code 4 where there are any."""
    for model, tally in sorted(ledger.tallies.items()):
        say(f"{model}: {tally.text}")
    if not outcomes.causes:
        return
    say(f"{outcomes.stopped} games stopped, {outcomes.not_begun} not begun or lost:", sys.stderr)
    say("games  cause", sys.stderr)
    for cause, number in outcomes.causes.most_common():
        say(f"{number:>5}  {cause}", sys.stderr)
    say("run the same command with --resume to play them", sys.stderr)
    raise typer.Exit(STOPPED)
