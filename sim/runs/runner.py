"""The games of a run: played on all cores, or at once in one process where agents wait for a provider."""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine.cores import Workers, map_ordered, map_unordered, no_garbage_collection
from machine.output import write_atomically
from machine.terminal import say
from sim.agents import WaitingAgent
from sim.game.game import Limits
from sim.game.trace import Trace, packed
from sim.models.agent import AnswersAsks, LlmAgent
from sim.models.failures import redact, secrets
from sim.models.money import BudgetSpent, Reserve
from sim.models.spans import span
from sim.models.spec import LlmParameters
from sim.runs.existing import Job, is_pack, write_unless_worse
from sim.runs.outcomes import Outcomes
from sim.runs.play import Patient, Play, play_game, play_game_later, trace_path
from sim.runs.progress import progress
from sim.runs.teams import AgentSpec, Team, build_agent, llm_parameters, waits
from sim.tasks.task import Task

if TYPE_CHECKING:
    from sim.models.provider import Provider

# Games handed to a process at once: enough that the hand-over costs little, few enough that progress shows.
CHUNK = 4


def jobs_for(
    tasks: Sequence[Task],
    teams: Sequence[Team],
    limits: Limits,
    repeats: int,
    folder: Path | str,
    adversary: int | None = None,
) -> list[Job]:
    """Every game of the run: each team on each task, as often as asked. The folder is a path, or text: a URL."""
    plays = [
        Play(task, team, limits, repeat, adversary) for team in teams for task in tasks for repeat in range(repeats)
    ]
    if isinstance(folder, Path):
        return [Job(play, trace_path(folder, play, len(teams) > 1)) for play in plays]
    return [Job(play, f"{folder}/{trace_path(Path(), play, len(teams) > 1).as_posix()}") for play in plays]


def play_chunk(jobs: Sequence[Job]) -> int:
    """Play the games and write their traces; how many they were."""
    with no_garbage_collection():
        for job in jobs:
            write_unless_worse(play_game(job.play), job.path)
    return len(jobs)


def play_packed(play: Play) -> bytes:
    """Play one game; its trace as a frame of a pack."""
    with no_garbage_collection():
        return packed(play_game(play))


def play_all(jobs: Sequence[Job], workers: Workers) -> Generator[int, None, None]:
    """Play all jobs, yielding how many more are done each time some are."""
    chunks = [jobs[i : i + CHUNK] for i in range(0, len(jobs), CHUNK)]
    for _, done in map_unordered(play_chunk, chunks, workers):
        yield done


def play_scripted(jobs: Sequence[Job], out: Path | str, workers: Workers, outcomes: Outcomes) -> None:
    """Play games whose agents answer at once, into files or one pack; when interrupted, count those that are there."""
    done, before = 0, there(jobs)
    try:
        if is_pack(out):
            frames = map_ordered(play_packed, [job.play for job in jobs], workers)
            write_atomically(out, progress(frames, "playing", len(jobs)))
        else:
            with closing(play_all(jobs, workers)) as played:
                for more in progress(played, "playing", len(jobs)):
                    done += more
        outcomes.ended += len(jobs)
    except KeyboardInterrupt:
        outcomes.ended += max(done, there(jobs) - before)
        outcomes.interrupted(len(jobs) - outcomes.ended)


def there(jobs: Sequence[Job]) -> int:
    """How many of the jobs' files are in a folder of this machine."""
    return sum(isinstance(job.path, Path) and job.path.exists() for job in jobs)


def build_waiting(spec: AgentSpec, provider: AnswersAsks, repeat: int) -> WaitingAgent:
    """A new agent of the spec, of any type."""
    if waits(spec):
        return LlmAgent(llm_parameters(spec), provider, spec.nosy, repeat)
    return Patient(build_agent(spec))


def models_of(jobs: Sequence[Job]) -> list[LlmParameters]:
    """The parameters of all agents with a language model, each once."""
    specs = {repr(s): s for job in jobs for s in job.play.specs if waits(s)}
    return [llm_parameters(s) for s in specs.values()]


async def play_waiting(
    jobs: Sequence[Job],
    provider: Provider,
    reserve: Reserve,
    concurrency: int,
    outcomes: Outcomes,
    count: Callable[[int], None],
) -> None:
    """Play the games, so many at once, and write each trace as soon as its game is over. A game that stops, for
    whatever cause, leaves the others alone; once the budget pays for no other or a trace can't be written, none begins,
    nor while a provider is down."""
    waiting = iter(jobs)

    async def work() -> None:
        for job in waiting:
            down, team = await provider.ready(models_of([job])), job.play.team.team
            if reason := await reason_to_end(reserve, team, outcomes) or down:
                outcomes.not_begun += 1
                outcomes.causes[f"not begun: {reason}"] += 1
            else:
                reserve.begins(team)
                trace = await play_one(job, provider, outcomes)
                reserve.ends(team, spent_on(trace), whole=trace is not None and is_paid_whole(trace))
            count(1)

    await asyncio.gather(*(work() for _ in range(min(concurrency, len(jobs)))))


async def reason_to_end(reserve: Reserve, team: str, outcomes: Outcomes) -> str | None:
    """Why no other game of the team should begin; None where one may."""
    try:
        short = await reserve.lacks(team)
    except BudgetSpent as spent:
        return str(spent)
    return outcomes.unwritten or short


def is_paid_whole(trace: Trace) -> bool:
    """Whether the game ended, and no answer was paid for earlier: only such a one says what games cost."""
    return not trace.stopped and not any((e.data.get("usage") or {}).get("from_cache") for e in trace.events)


def spent_on(trace: Trace | None) -> float:
    """What a game's answers cost in this run, and attempts before them, in US dollars, as far as that is known."""
    usages = [e.data.get("usage") for e in trace.events] if trace else []
    paid = [usage for usage in usages if usage and not usage["from_cache"]]
    parts = [*paid, *(charge for usage in paid for charge in usage.get("charged_attempts") or ())]
    return sum(part["cost_usd"] or 0.0 for part in parts)


async def play_one(job: Job, provider: AnswersAsks, outcomes: Outcomes) -> Trace | None:
    """Play the job's game and write its trace, which is given back where there is one. A fault of the program costs
    this game only, and is shown in full."""
    try:
        agents = [build_waiting(spec, provider, job.play.repeat) for spec in job.play.specs]
        with span("game", span_attributes(job.play)) as tell:
            trace = await play_game_later(job.play, agents)
            tell({"calbench.game_id": trace.game_id, "calbench.stop_category": trace.stop_category} | figures(trace))
        written = write_unless_worse(trace, job.path)
    except OSError as error:
        outcomes.unwritten = redacted(error)
        outcomes.lost(outcomes.unwritten)
        return None
    except Exception as error:
        for line in redacted(traceback.format_exc()).splitlines():
            say(line, sys.stderr)
        outcomes.lost(f"{type(error).__name__}: {redacted(error)}")
        return None
    outcomes.played(trace, written)
    return trace


def span_attributes(play: Play) -> dict[str, Any]:
    """Which game it is, for a span."""
    task = play.task
    named = {"team": play.team.team, "task_id": task.task_id, "setting": task.setting, "repeat": play.repeat}
    return {f"calbench.{name}": value for name, value in named.items()}


def figures(trace: Trace) -> dict[str, Any]:
    """What the game came to, for a span; nothing of one that stopped."""
    names = () if trace.stopped else ("coordination_rate", "excess_cost")
    return {f"calbench.{name}": trace.metrics[name] for name in names}


def redacted(error: object) -> str:
    """What went wrong, without any key of the environment."""
    return redact(str(error), secrets(()))
