"""Playing games: one task, one team, one trace."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sim.agents import Agent, AgentFailure, Registration, Reply, Request, WaitingAgent
from sim.game.game import EventRef, Game, Limits
from sim.game.rounds import final_state, metrics, rounds
from sim.game.trace import SUFFIX, Trace, game_id, to_jsonable, to_text
from sim.models.spec import asked, prompt_record
from sim.runs.teams import (
    AgentSpec,
    Team,
    agent_record,
    as_nosy,
    build_agent,
    imitates,
    llm_parameters,
    speaks,
    specs_for,
    waits,
)
from sim.tasks.labels import Labels, draw, load_bank, own_labels, render_with_labels
from sim.tasks.suite import prior_meetings
from sim.tasks.task import Task

GAME_START, GAME_END = "GAME_START", "GAME_END"
# What is text in every reply.
TEXTS = frozenset(("thinking", "text", "prompt", "started_at", "ended_at", "parse"))


class Play(Struct, frozen=True):
    """One game to play: the task, the team, what the game allows, and which repeat it is, from 0.

    `adversary` is the agent, if any, that probes the others for private details (paper, section 4).
    """

    task: Task
    team: Team
    limits: Limits = Limits()
    repeat: int = 0
    adversary: int | None = None

    @property
    def specs(self) -> tuple[AgentSpec, ...]:
        """The specs of the agents, the adversary's marked."""
        specs = specs_for(self.team, self.task.num_agents)
        return tuple(as_nosy(s) if a == self.adversary else s for a, s in enumerate(specs))


def config_of(play: Play) -> dict[str, Any]:
    """The full configuration of a game: all that was in force (Appendix D.6)."""
    task, specs = play.task, play.specs
    labels = msgspec.to_builtins(labels_of(task), str_keys=True)
    return {
        "game_name": "calendar",
        "team": play.team.team,
        "simulated": play.team.simulated or any(map(imitates, specs)),
        "setting": task.setting,
        "condition": "adversarial" if any(s.nosy for s in specs) else task.condition,
        "task_id": task.task_id,
        "seed": task.seed,
        "difficulty": task.difficulty,
        "density": task.density,
        "repeat": play.repeat,
        "num_agents": task.num_agents,
        "num_participants": task.num_participants,
        "num_meetings": task.num_meetings,
        "num_slots": task.num_slots,
        **msgspec.to_builtins(play.limits),
        "agents": [agent_record(s) for s in specs],
        **prompts_of(specs),
        "scenario": scenario_record(task) | {"labels": labels},
    }


def prompts_of(specs: Sequence[AgentSpec]) -> dict[str, Any]:
    """What tells the agents' prompts apart, a list over agents; nothing where none has a language model."""
    if not any(waits(s) for s in specs):
        return {}
    return {"prompts": [prompt_record(llm_parameters(s), s.nosy) if waits(s) else None for s in specs]}


def identity(config: dict[str, Any]) -> str:
    """The id of the configuration's game. How calls to a provider are carried (deadlines, limits, prices) is no part of
    it: a run may go on under other limits."""
    return game_id(identified(config))


def identified(config: dict[str, Any]) -> dict[str, Any]:
    """What of a configuration is part of its game's identity."""
    agents = [a | {"parameters": asked(a["parameters"])} if a["type"] == "llm" else a for a in config["agents"]]
    return config | {"agents": agents}


def is_waiting(play: Play) -> bool:
    """Whether an agent of the game waits for a provider."""
    return any(waits(s) for s in play.specs)


def labels_of(task: Task) -> Labels:
    """The private labels of the task's errands and meetings: the same in every game of it."""
    meetings = (*task.meetings, *prior_meetings(task.calendars))
    return draw(load_bank(), task.calendars, meetings, task.seed)


def scenario_record(task: Task) -> dict[str, Any]:
    """What the trace keeps of the task: parameters, meetings, the optimum and the yardsticks."""
    parts = {
        "parameters": task.parameters,
        "calendars_sha256": calendars_digest(task),
        "meetings": task.meetings,
        "optimal": task.optimal,
        "greedy": task.greedy,
        "witness": task.witness,
        "difficulty_score": task.difficulty_score,
        "feasible_assignments": task.feasible_assignments,
        "optimal_assignments": task.optimal_assignments,
    }
    if not task.optimal_proven:
        parts["optimal_bound"] = task.optimal_bound
    record: dict[str, Any] = msgspec.to_builtins(parts, str_keys=True)
    return record


def calendars_digest(task: Task) -> str:
    """A digest of the initial calendars: with others, it is another game."""
    slots = [calendar.slots for calendar in task.calendars]
    return sha256(msgspec.json.encode(slots)).hexdigest()


class Patient:
    """An agent that answers at once, among agents that wait."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.register, self.summary = agent.register, agent.summary

    async def answer(self, request: Request) -> Reply:
        """Answer one request."""
        return self.agent.act(request)


def play_game(play: Play, agents: Sequence[Agent] | None = None) -> Trace:
    """Play a game with agents that answer at once: those of the team, or the ones given."""
    agents = [build_agent(spec) for spec in play.specs] if agents is None else agents
    game = play_game_later(play, [Patient(agent) for agent in agents])
    try:
        game.send(None)  # nothing is waited for, so that one step is the whole game
    except StopIteration as end:
        trace: Trace = end.value
        return trace
    raise AssertionError("an agent that answers at once waited")


async def play_game_later(play: Play, agents: Sequence[WaitingAgent]) -> Trace:
    """Play a game with agents that wait for a provider."""
    config = config_of(play)
    game = begin(play, agents, identity(config))
    turns = rounds(game)
    asked, failure = next(turns, None), None
    try:
        while asked:
            agent, request = asked
            reply = await agents[agent].answer(request)
            try:
                asked = turns.send(recordable(reply))
            except StopIteration:
                break
    except AgentFailure as problem:
        failure = problem
    return finish(play, game, agents, config, failure)


def recordable(reply: Any) -> Reply:
    """The reply as a trace can hold it, a copy of the agent's own: a game is played with what its trace records,
    whatever the agent answers or does with its lists afterwards. What is no reply counts as one's actions."""
    if not isinstance(reply, Reply):
        return Reply(to_jsonable(reply))
    fields = {name: getattr(reply, name) for name in reply.__struct_fields__}
    copies = {name: (to_text if name in TEXTS else to_jsonable)(v) for name, v in fields.items() if v is not None}
    return Reply(**(fields | copies))


def begin(play: Play, agents: Sequence[Agent | WaitingAgent], name: str) -> Game:
    """Open the record of a game, and register its agents."""
    task, specs = play.task, play.specs
    labels = labels_of(task) if any(speaks(s) for s in specs) else None
    game = Game(task.calendars, task.meetings, play.limits, labels)
    nosy = [a for a, s in enumerate(specs) if s.nosy]
    game.record(
        "game_start",
        EventRef(-1, -1, GAME_START),
        scenario_seed=task.seed,
        num_agents=task.num_agents,
        num_slots=task.num_slots,
        optimal_cost=task.optimal.cost,
        greedy_cost=task.greedy.cost,
        nosy_agent_ids=nosy,
    )
    for number, agent in enumerate(agents):
        register(game, number, agent, number in nosy, name)
    return game


def register(game: Game, number: int, agent: Agent | WaitingAgent, nosy: bool, name: str) -> None:
    """Tell an agent what it is told before the game, and record it."""
    calendar, limits = game.calendars[number], game.limits
    prompt = agent.register(
        Registration(
            number, len(game.calendars), len(calendar), limits.decision_retries, limits.channels, calendar, name
        )
    )
    game.record(
        "agent_registered",
        EventRef(-1, -1, GAME_START, number),
        is_nosy_agent=nosy,
        system_prompt=to_text(prompt),
        calendar_render=render_with_labels(calendar, own_labels(calendar, game.labels) if game.labels else {}),
    )


def finish(
    play: Play,
    game: Game,
    agents: Sequence[Agent | WaitingAgent],
    config: dict[str, Any],
    failure: AgentFailure | None,
) -> Trace:
    """Close the record: the state at the end, the metrics, and the game's identity.

    `failure` is what stopped the game before its end, if anything did.
    """
    totals, cause = metrics(game, play.task), None if failure is None else str(failure)
    if failure is None:
        game.record("game_end", EventRef(len(game.meetings), 0, GAME_END), **totals)
    else:
        game.record("game_stopped", EventRef(len(game.coordinated) + len(game.failed), 0, GAME_END), cause=cause)
    times = [e.timestamp for e in game.events if e.timestamp]
    return Trace(
        game_id=identity(config),
        config=config,
        events=game.events,
        final_state=final_state(game, play.task, [to_jsonable(agent.summary()) for agent in agents]),
        metrics=totals,
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        stopped=cause is not None,
        stop_cause=cause,
        stop_category=None if failure is None else failure.category,
    )


def trace_path(folder: Path, play: Play, by_team: bool) -> Path:
    """Where a game's trace goes: by team where several play, with a suffix for the repeats after the first."""
    suffix = f".r{play.repeat}" if play.repeat else ""
    return (folder / play.team.team if by_team else folder) / f"{play.task.task_id}{suffix}{SUFFIX}"
