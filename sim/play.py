"""Playing games: one task, one team, one trace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sim.agents import Agent, Registration
from sim.game import Game, Limits, Place
from sim.metrics import final_state, metrics
from sim.rounds import rounds
from sim.suite import Task
from sim.teams import Team, build_agent, specs_for
from sim.trace import SUFFIX, Trace, game_id

GAME_START, GAME_END = "GAME_START", "GAME_END"


class Play(Struct, frozen=True):
    """One game to play: the task, the team, what the game allows, and which repeat it is, from 0."""

    task: Task
    team: Team
    limits: Limits = Limits()
    repeat: int = 0


def config_of(play: Play) -> dict[str, Any]:
    """The full configuration of a game: all that was in force (Appendix D.6)."""
    task = play.task
    return {
        "game_name": "calendar",
        "team": play.team.team,
        "simulated": play.team.simulated,
        "setting": task.setting,
        "condition": task.condition,
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
        "agents": [msgspec.to_builtins(s) for s in specs_for(play.team, task.num_agents)],
        "scenario": scenario_record(task),
    }


def scenario_record(task: Task) -> dict[str, Any]:
    """What the trace keeps of the task: parameters, meetings, the optimum and the yardsticks."""
    parts = {
        "parameters": task.parameters,
        "meetings": task.meetings,
        "optimal": task.optimal,
        "greedy": task.greedy,
        "witness": task.witness,
        "difficulty_score": task.difficulty_score,
        "feasible_assignments": task.feasible_assignments,
        "optimal_assignments": task.optimal_assignments,
    }
    record: dict[str, Any] = msgspec.to_builtins(parts, str_keys=True)
    return record


def play_game(play: Play) -> Trace:
    """Play a game with agents that answer at once."""
    config = config_of(play)
    agents = [build_agent(spec) for spec in specs_for(play.team, play.task.num_agents)]
    game = Game(play.task.calendars, play.task.meetings, play.limits)
    start(game, play.task, agents)
    drive(game, agents)
    return finish(game, play.task, agents, config)


def start(game: Game, task: Task, agents: Sequence[Agent]) -> None:
    """Open the record of a game, and register its agents."""
    at = Place(-1, -1, GAME_START)
    game.record(
        "game_start",
        at,
        scenario_seed=task.seed,
        num_agents=task.num_agents,
        num_slots=task.num_slots,
        optimal_cost=task.optimal.cost,
        greedy_cost=task.greedy.cost,
        nosy_agent_ids=[],
    )
    for number, (agent, calendar) in enumerate(zip(agents, task.calendars, strict=True)):
        limits = game.limits
        prompt = agent.register(
            Registration(number, len(agents), len(calendar), limits.decision_retries, limits.channels, calendar)
        )
        game.record(
            "agent_registered",
            Place(-1, -1, GAME_START, number),
            is_nosy_agent=False,
            system_prompt=prompt,
            calendar_render=calendar.render,
        )


def drive(game: Game, agents: Sequence[Agent]) -> None:
    """Ask the agents, in the order that the rules ask, until the game is over."""
    turns = rounds(game)
    try:
        agent, request = next(turns)
        while True:
            agent, request = turns.send(agents[agent].act(request))
    except StopIteration:
        return


def finish(game: Game, task: Task, agents: Sequence[Agent], config: dict[str, Any]) -> Trace:
    """Close the record: the state at the end, the metrics, and the game's identity."""
    found = metrics(game, task)
    game.record("game_end", Place(len(game.meetings), 0, GAME_END), **found)
    return Trace(
        game_id=game_id(config),
        config=config,
        events=game.events,
        final_state=final_state(game, task, [agent.summary() for agent in agents]),
        metrics=found,
    )


def trace_path(folder: Path, play: Play, by_team: bool) -> Path:
    """Where a game's trace goes: by team where several play, with a suffix for the repeats after the first."""
    suffix = f".r{play.repeat}" if play.repeat else ""
    return (folder / play.team.team if by_team else folder) / f"{play.task.task_id}{suffix}{SUFFIX}"
