"""The benchmark as a task of Inspect: one sample a game, played with Inspect's own model, limits, retries and viewer.

    inspect eval sim/runs/inspect_task.py --model openai/gpt-5.4-mini -T tasks=tasks.jsonl

Each sample of the log holds its game's trace, which `python -m pipeline derive` reads. Needs the extra `inspect`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)

# What the evaluation was told to ask stands nowhere else.
from inspect_ai.model._model import active_generate_config  # type: ignore[attr-defined]
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from sim.game.game import Limits
from sim.game.trace import encoded
from sim.models.agent import FILTERED, Answer, Ask, Usage
from sim.models.response import agreeing, count
from sim.models.spec import LlmParameters, is_simulated
from sim.runs.play import Play, play_game_later
from sim.runs.runner import build_waiting
from sim.runs.teams import AgentSpec, Team
from sim.tasks.suite import read_tasks
from sim.tasks.task import Task as CalendarTask

# Where a sample keeps its game's trace; derive looks there.
TRACE = "calbench_trace"
ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
# How Inspect names the ends of answers, where OpenAI's API, and so our traces, name them otherwise.
ENDS = {"max_tokens": "length", "model_length": "length", "content_filter": FILTERED}
# What of Inspect's settings decides how calls are carried, and not what is asked.
CARRIAGE = (
    *("timeout", "stream_idle_timeout", "attempt_timeout", "max_retries", "max_connections", "adaptive_connections"),
    *("cache", "cache_prompt", "batch", "extra_headers"),
)


@task
def calbench(tasks: str = "tasks.jsonl", adversary: int | None = None, max_turns: int = 15, team: str = "") -> Task:
    """Every task of the file as a sample; `team` names the row that the games make, the model's name if not given."""
    played = read_tasks(Path(tasks))
    samples = [Sample(input=t.task_id, id=t.task_id, metadata={"setting": t.setting}) for t in played]
    limits = Limits(max_turns_per_round=max_turns)
    return Task(
        dataset=MemoryDataset(samples, name="calbench"),
        solver=play_calendar_game({t.task_id: t for t in played}, limits, adversary, team),
        scorer=[coordination_rate(), excess_cost()],
    )


@solver
def play_calendar_game(tasks: dict[str, CalendarTask], limits: Limits, adversary: int | None, team: str) -> Solver:
    """Plays the sample's game; its trace and metrics stand in the sample's store afterwards."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        provider = InspectModel(get_model())
        spec = AgentSpec("llm", {"model": str(provider.model), **asked_parameters(provider.model)})
        name = team or provider.model.name.replace("/", "-")
        play = Play(
            tasks[str(state.sample_id)],
            Team(name, (spec,), is_simulated(str(provider.model))),
            limits,
            state.epoch - 1,
            adversary,
        )
        trace = await play_game_later(play, [build_waiting(s, provider, play.repeat) for s in play.specs])
        state.store.set(TRACE, json.loads(encoded(trace)))
        state.store.set("metrics", None if trace.stopped else trace.metrics)
        return state

    return solve


def asked_parameters(model: Model) -> dict[str, Any]:
    """What Inspect was told to ask of the model, as parameters of an agent: with another temperature it is another
    game."""
    config = model.config.merge(active_generate_config()).model_dump(mode="json", exclude_none=True)
    own = {name: config.pop(name) for name in ("temperature", "max_tokens", "seed") if name in config}
    extra = {name: value for name, value in config.items() if name not in CARRIAGE}
    return own | ({"extra": extra} if extra else {})


class InspectModel:
    """Answers asks by Inspect's model, under Inspect's limits and with its retries. What Inspect raises, as for a limit
    that is reached, ends the sample as it ends any other."""

    def __init__(self, model: Model) -> None:
        self.model = model

    async def answer(self, ask: Ask, parameters: LlmParameters) -> Answer:
        """The model's answer to the conversation."""
        config = GenerateConfig(temperature=ask.temperature, max_tokens=ask.max_tokens, seed=ask.seed)
        output = await self.model.generate(conversation(ask.messages), config=config)
        return Answer(output.completion, usage_of(ask.model, output))


def conversation(messages: Sequence[dict[str, str]]) -> list[ChatMessage]:
    """The conversation in Inspect's records."""
    return [ROLES[m["role"]](content=m["content"]) for m in messages]


def usage_of(model: str, output: ModelOutput) -> Usage:
    """What the answer took, as far as Inspect says. Its count of tokens sent leaves out those that the provider had
    kept; ours holds them. Without sound counts the cost is unknown."""
    usage = output.usage
    kept = (usage.input_tokens_cache_read or 0) if usage else 0
    sent = usage.input_tokens + kept + (usage.input_tokens_cache_write or 0) if usage else None
    asked, cached = agreeing(count(sent), count(usage.input_tokens_cache_read) if usage else None)
    given, thought = agreeing(count(usage.output_tokens), count(usage.reasoning_tokens)) if usage else (None, None)
    usd = usage.total_cost if usage and asked is not None and given is not None else None
    return Usage(
        model=model,
        input_tokens=asked,
        output_tokens=given,
        cached_input_tokens=cached,
        cost_usd=usd,
        priced_by=None if usd is None else "inspect",
        finish_reason=ENDS.get(output.stop_reason, output.stop_reason),
        served_model=output.model or None,
        reasoning_tokens=thought,
    )


def scored(state: TaskState, name: str) -> Score:
    """One metric of the sample's game; no score where it was stopped."""
    metrics: dict[str, Any] | None = state.store.get("metrics")
    return Score(value=float("nan") if metrics is None else float(metrics[name]))


@scorer(metrics=[mean(), stderr()])
def coordination_rate() -> Scorer:
    """Meetings that were coordinated, of all (section 3.3)."""

    async def score(state: TaskState, target: Target) -> Score:
        return scored(state, "coordination_rate")

    return score


@scorer(metrics=[mean(), stderr()])
def excess_cost() -> Scorer:
    """What was paid beyond the oracle's schedule (section 3.3)."""

    async def score(state: TaskState, target: Target) -> Score:
        return scored(state, "excess_cost")

    return score
