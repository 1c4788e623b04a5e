"""Many games at once in one process, for teams that wait for a provider."""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from sim.agents import Agent, Registration, Reply, Request, WaitingAgent
from sim.game.trace import write
from sim.models.agent import AnswersAsks, LlmAgent
from sim.models.attempts import redact, secrets
from sim.models.money import BudgetSpent, Ledger
from sim.models.spec import LlmParameters
from sim.runs.options import say
from sim.runs.play import Play, play_game_later
from sim.runs.runner import Job
from sim.runs.teams import AgentSpec, build_agent, llm_parameters, waits


class Patient:
    """An agent that answers at once, among agents that wait."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def register(self, registration: Registration) -> str:
        """Begin a game."""
        return self.agent.register(registration)

    async def answer(self, request: Request) -> Reply:
        """Answer one request."""
        return self.agent.act(request)

    def summary(self) -> Mapping[str, Any]:
        """What the agent kept of the game."""
        return self.agent.summary()


class Outcomes(Struct):
    """What became of a run's games. `causes` counts those that stopped or were not begun, by cause; `unwritten` is why
    a trace could not be written: what is played after it is paid for and lost."""

    ended: int = 0
    stopped: int = 0
    not_begun: int = 0
    unwritten: str | None = None
    causes: Counter[str] = field(default_factory=Counter)


def build_waiting(spec: AgentSpec, provider: AnswersAsks, repeat: int) -> WaitingAgent:
    """A new agent of the spec, of any type."""
    if waits(spec):
        return LlmAgent(llm_parameters(spec), provider, spec.nosy, repeat)
    return Patient(build_agent(spec))


def models_of(jobs: Sequence[Job]) -> list[LlmParameters]:
    """The parameters of all agents with a language model, each once."""
    specs = {repr(s): s for job in jobs for s in job.play.specs if waits(s)}
    return [llm_parameters(s) for s in specs.values()]


def is_waiting(play: Play) -> bool:
    """Whether an agent of the game waits for a provider."""
    return any(waits(s) for s in play.specs)


async def play_waiting(
    jobs: Sequence[Job],
    provider: AnswersAsks,
    ledger: Ledger,
    concurrency: int,
    outcomes: Outcomes,
    count: Callable[[int], None],
) -> None:
    """Play the games, so many at once, and write each trace as soon as its game is over. A game that stops, for
    whatever cause, leaves the others alone; once the budget is used up or a trace can't be written, no other begins."""
    waiting = iter(jobs)

    async def work() -> None:
        for job in waiting:
            if reason := reason_to_end(ledger, outcomes):
                outcomes.not_begun += 1
                outcomes.causes[f"not begun: {reason}"] += 1
            else:
                await play_one(job, provider, outcomes)
            count(1)

    await asyncio.gather(*(work() for _ in range(min(concurrency, len(jobs)))))


def reason_to_end(ledger: Ledger, outcomes: Outcomes) -> str | None:
    """Why no other game should begin; None where one may."""
    try:
        ledger.check()
    except BudgetSpent as spent:
        return str(spent)
    return outcomes.unwritten


async def play_one(job: Job, provider: AnswersAsks, outcomes: Outcomes) -> None:
    """Play the job's game and write its trace. A fault of the program costs this game only, and is shown in full."""
    try:
        agents = [build_waiting(spec, provider, job.play.repeat) for spec in job.play.specs]
        trace = await play_game_later(job.play, agents)
        write(trace, job.path)
    except OSError as error:
        outcomes.unwritten = redacted(error)
        outcomes.stopped += 1
        outcomes.causes[f"no trace: {outcomes.unwritten}"] += 1
        return
    except Exception as error:
        for line in redacted(traceback.format_exc()).splitlines():
            say(line, sys.stderr)
        outcomes.stopped += 1
        outcomes.causes[f"no trace: {type(error).__name__}: {redacted(error)}"] += 1
        return
    if trace.stopped:
        outcomes.stopped += 1
        outcomes.causes[short_cause(str(trace.stop_cause))] += 1
    else:
        outcomes.ended += 1


def redacted(error: object) -> str:
    """What went wrong, without any key of the environment."""
    return redact(str(error), secrets(()))


def short_cause(cause: str) -> str:
    """The cause without who and where, which the trace keeps: what many games share."""
    where, _, what = cause.partition(": ")
    return what if where.startswith("agent ") else cause
