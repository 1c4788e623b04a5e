"""One real call to each model before a run: what is sent, what the provider refuses of it, and what an answer takes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from machine.output import write_atomically
from sim.agents import AgentFailure, Reply
from sim.game.rounds import rounds
from sim.models.agent import Answer, Ask, characters, read_answer
from sim.models.money import Ledger
from sim.models.provider import Provider, address_for, request
from sim.models.spec import LlmParameters, asked
from sim.runs.play import Play, begin, config_of, identity
from sim.runs.runner import build_waiting
from sim.runs.standing import Job
from sim.runs.teams import llm_parameters, waits

# What a provider may refuse of a request: given only where a team asks for it.
OPTIONAL = ("seed", "temperature", "max_tokens")


class Check(Struct, frozen=True, kw_only=True):
    """What one call to a model showed: `refused` parameters with the reason, and, where an answer came, how it was
    read, who gave it, the characters and tokens of what was asked, and the tokens of the answer."""

    model: str
    refused: dict[str, str] = {}
    problem: str | None = None
    read_as: str | None = None
    served_model: str | None = None
    characters: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None


class FirstQuestion(Exception):
    """What an agent would ask its model first."""

    def __init__(self, ask: Ask) -> None:
        super().__init__()
        self.ask = ask


class Listener:
    """Stands in for a provider, and keeps what it is asked."""

    async def answer(self, ask: Ask, parameters: LlmParameters) -> Answer:
        """No answer. Raises FirstQuestion."""
        raise FirstQuestion(ask)


def first_questions(jobs: Sequence[Job]) -> list[tuple[LlmParameters, Ask]]:
    """The first question of the first game to each model, with its parameters."""
    seen: dict[bytes, tuple[LlmParameters, Ask]] = {}
    for job in jobs:
        for agent, spec in enumerate(job.play.specs):
            if waits(spec):
                p = llm_parameters(spec)
                name = msgspec.json.encode(p, order="deterministic")
                if name not in seen:
                    seen[name] = p, first_question(job.play, agent)
    return list(seen.values())


def first_question(play: Play, agent: int) -> Ask:
    """What the agent would ask its model in its first turn, if nobody spoke before."""
    agents = [build_waiting(spec, Listener(), play.repeat) for spec in play.specs]
    turns = rounds(begin(play, agents, identity(config_of(play))))
    asked_agent, asking = next(turns)
    while asked_agent != agent:
        asked_agent, asking = turns.send(Reply())
    try:
        asyncio.run(agents[agent].answer(asking))
    except FirstQuestion as question:
        return question.ask
    raise AssertionError("an agent answered without its model")


def check(p: LlmParameters, ask: Ask) -> Check:
    """What the call shows. A parameter that is refused is left out, and the call made again."""
    refused: dict[str, str] = {}
    while True:
        provider = Provider([p], Ledger())
        try:
            answer = asyncio.run(provider.answer(ask, replace(p, retries=0)))
        except AgentFailure as failure:
            name = refused_parameter(str(failure), ask)
            if name is None:
                return Check(model=p.model, refused=refused, problem=str(failure), characters=characters(ask))
            refused[name] = str(failure)
            ask = without(ask, name)
        else:
            return checked(p, ask, answer, refused)


def checked(p: LlmParameters, ask: Ask, answer: Answer, refused: dict[str, str]) -> Check:
    """What an answer shows."""
    usage = answer.usage
    return Check(
        model=p.model,
        refused=refused,
        read_as=asyncio.run(read_answer(answer)).how,
        served_model=usage.served_model,
        characters=characters(ask),
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        cost_usd=usage.cost_usd,
    )


def refused_parameter(problem: str, ask: Ask) -> str | None:
    """The parameter of the question that the provider's refusal names; None where it names none."""
    given = [name for name in OPTIONAL if getattr(ask, name) is not None]
    return next((name for name in [*given, *ask.extra] if name in problem), None)


def without(ask: Ask, name: str) -> Ask:
    """The question without that parameter."""
    if name in OPTIONAL:
        return replace(ask, **{name: None})
    return replace(ask, extra={key: value for key, value in ask.extra.items() if key != name})


def request_text(p: LlmParameters, ask: Ask) -> str:
    """The call's arguments as JSON, without key and headers, which come from the environment."""
    hidden = ("api_key", "extra_headers", "_skip_mcp_handler")
    arguments: dict[str, Any] = request(ask, p, address_for(ask, p, 0))
    return json.dumps({k: v for k, v in arguments.items() if k not in hidden}, indent=2)


def lines(result: Check) -> Iterator[str]:
    """The check in words."""
    for name, problem in result.refused.items():
        yield f"{result.model}: refuses {name}; leave it out of the team: {problem}"
    if result.problem:
        yield f"{result.model}: no answer: {result.problem}"
        return
    tokens = f"{known(result.input_tokens)} tokens in, {known(result.output_tokens)} out"
    thought = f" ({result.reasoning_tokens} of them reasoning)" if result.reasoning_tokens else ""
    money = "price unknown" if result.cost_usd is None else f"{result.cost_usd:.4f} USD"
    yield f"{result.model}: {known(result.served_model)} answered; {tokens}{thought}, {money}; read as {result.read_as}"


def known(value: object) -> str:
    """The value, or that it is not known."""
    return "unknown" if value is None else str(value)


def place_of(folder: Path, p: LlmParameters) -> Path:
    """Where the check of a model with these parameters is kept."""
    parameters = asked(msgspec.to_builtins(p))
    return folder / f"{sha256(msgspec.json.encode(parameters, order='deterministic')).hexdigest()}.json"


def keep(folder: Path, p: LlmParameters, result: Check) -> None:
    """Keep the check for estimates to come."""
    write_atomically(place_of(folder, p), [msgspec.json.encode(result)])


def kept_check(folder: Path | None, p: LlmParameters) -> Check | None:
    """The check that was kept of the model with these parameters, where an answer came that says what it took."""
    try:
        result = msgspec.json.decode(place_of(folder, p).read_bytes(), type=Check) if folder else None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
    return result if result and result.input_tokens and result.output_tokens else None
