"""What a run with language models would take, before it is paid for.

The teams' games are played in this process with the stub's negotiator in place of the models: so many calls, and the
prompts that they would send. Where a check of the model (check.py) says how many tokens its answers and a prompt take,
these hold; else a token counts four characters and an answer OUTPUT_TOKENS tokens. No answer has more than
`max_tokens`. Real models talk more or less than that, a provider's discount for repeated prompts is left out, and
prompts of a file count as ours.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sim.agents import WaitingAgent
from sim.game.game import Limits
from sim.models.agent import Answer, Ask, LlmAgent, Usage, characters
from sim.models.library import litellm
from sim.models.prices import CHARACTERS_PER_TOKEN, cost, price_of
from sim.models.serve.negotiator import negotiate
from sim.models.spec import LlmParameters
from sim.runs.check import Check, kept_check
from sim.runs.existing import Job
from sim.runs.play import Patient, Play, play_game_later
from sim.runs.teams import build_agent, llm_parameters, waits
from sim.tasks.task import Task

OUTPUT_TOKENS = 300
SAMPLE = 12


class Estimate(Struct, kw_only=True):
    """One model's share of a run. `at_most` is the number of calls when every game uses up all its turns and retries;
    `usd` is None where the price is unknown."""

    model: str
    games: int = 0
    calls: float = 0.0
    at_most: int = 0
    input_tokens: float = 0.0
    output_tokens: float = 0.0
    usd: float | None = None
    priced_by: str | None = None
    checked: bool = False


class Rates(Struct, frozen=True, kw_only=True):
    """What a model's calls take: tokens a character of what it is sent, and tokens an answer, of which so many are of
    reasoning that no later prompt repeats."""

    input_tokens: float = 1 / CHARACTERS_PER_TOKEN
    output_tokens: int = OUTPUT_TOKENS
    reasoning_tokens: int = 0


def rates_of(p: LlmParameters, result: Check | None) -> Rates:
    """The rates that a check shows; the assumed ones where there is none. No answer is longer than `max_tokens`."""
    if result is None or not result.input_tokens or not result.output_tokens:
        return Rates(output_tokens=min(OUTPUT_TOKENS, p.max_tokens or OUTPUT_TOKENS))
    output = min(result.output_tokens, p.max_tokens or result.output_tokens)
    return Rates(
        input_tokens=result.input_tokens / result.characters,
        output_tokens=output,
        reasoning_tokens=min(result.reasoning_tokens or 0, output),
    )


class CountingModel:
    """Answers in place of models, and counts the calls and characters that each would be asked."""

    def __init__(self, rates: Mapping[str, Rates]) -> None:
        self.rates = rates
        self.calls: dict[str, tuple[int, int]] = {}

    async def answer(self, ask: Ask, parameters: LlmParameters) -> Answer:
        """The negotiator's answer, its thinking drawn out to the length that the model's answers have."""
        calls, asked = self.calls.get(ask.model, (0, 0))
        self.calls[ask.model] = calls + 1, asked + characters(ask)
        text, rates = negotiate(ask.messages), self.rates[ask.model]
        missing = max(0, round((rates.output_tokens - rates.reasoning_tokens) / rates.input_tokens) - len(text))
        padded = json.loads(text) | {"thinking": "." * missing}
        return Answer(json.dumps(padded), Usage(model=ask.model))


def estimate(jobs: Sequence[Job], checks: Path | None = None) -> list[Estimate]:
    """The estimate for each model, from up to SAMPLE games of each team, spread evenly over its tasks, and from the
    check of the model that the folder holds, if any."""
    estimates: dict[str, Estimate] = {}
    by_team: dict[str, list[Play]] = {}
    for job in jobs:
        by_team.setdefault(job.play.team.team, []).append(job.play)
    for plays in by_team.values():
        sample = plays[:: max(1, -(-len(plays) // SAMPLE))]
        scale = len(plays) / len(sample)
        models = {p.model: p for play in sample for s in play.specs if waits(s) for p in [llm_parameters(s)]}
        kept = {name: kept_check(checks, p) for name, p in models.items()}
        rates = {name: rates_of(p, kept[name]) for name, p in models.items()}
        model = CountingModel(rates)
        for play in sample:
            asyncio.run(play_game_later(play, [stand_in(play, a, model) for a in range(play.task.num_agents)]))
        for name, p in models.items():
            row = estimates.setdefault(name, Estimate(model=name))
            calls, asked = model.calls.get(name, (0, 0))
            row.games += len(plays)
            row.calls += calls * scale
            row.at_most += sum(most_calls(play.task, play.limits) for play in plays)
            row.input_tokens += asked * scale * rates[name].input_tokens
            row.output_tokens += calls * scale * rates[name].output_tokens
            row.checked = kept[name] is not None
            charge(row, p)
    return list(estimates.values())


def stand_in(play: Play, agent: int, model: CountingModel) -> WaitingAgent:
    """The agent, asked nothing outside this process."""
    spec = play.specs[agent]
    if waits(spec):
        # The negotiator reads our prompts alone.
        return LlmAgent(replace(llm_parameters(spec), prompts=None), model, spec.nosy, play.repeat)
    return Patient(build_agent(spec))


def charge(row: Estimate, p: LlmParameters) -> None:
    """Put the model's price on the row, where it is known."""
    price = price_of(p, litellm())
    if price is not None:
        row.usd = cost(price[0], round(row.input_tokens), round(row.output_tokens))
        row.priced_by = price[1]


def most_calls(task: Task, limits: Limits) -> int:
    """The calls of a game in which everybody speaks in every turn and every batch is rejected to the last."""
    talk = limits.max_turns_per_round * task.num_agents
    decide = (limits.decision_retries + 1) * task.num_participants + task.num_agents - task.num_participants
    return task.num_meetings * (talk + decide)


def lines(rows: Sequence[Estimate]) -> Iterator[str]:
    """The estimate in words: a line a model, and how it came about."""
    for r in rows:
        money = "price unknown" if r.usd is None else f"{r.usd:.2f} USD ({r.priced_by})"
        yield (
            f"{r.model}: {r.games} games, about {r.calls:.0f} calls (at most {r.at_most}), "
            f"{r.input_tokens:.0f} tokens in, {r.output_tokens:.0f} out, {money}"
        )
    if len(rows) > 1 and all(r.usd is not None for r in rows):
        yield f"all models: {sum(r.usd or 0 for r in rows):.2f} USD"
    unchecked = [r.model for r in rows if not r.checked]
    rates = f"{CHARACTERS_PER_TOKEN} characters a token and at most {OUTPUT_TOKENS} tokens an answer"
    by = (
        f"at {rates} for {', '.join(unchecked)} (--check asks once)"
        if unchecked
        else "at the tokens that a check showed"
    )
    yield (
        f"estimated by playing up to {SAMPLE} games a team with the stub's negotiator in place of the models, {by}; "
        "real models talk more or less"
    )
