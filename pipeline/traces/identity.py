"""Which game a trace is of: team, setting, condition, task. Public traces tell only by the names in them."""

import re
from typing import NamedTuple

from pipeline.traces.records import GameStart
from pipeline.traces.trace import Trace

TASK = re.compile(
    r"_(?P<difficulty>easy|medium|hard)_.*?_d(?P<whole>\d)p(?P<tenths>\d+)_c(?P<level>\d+)_\d+(?P<blocked>_blocked\d*)?$"
)
SETTINGS = {"1": "uniform", "3": "varied"}
TEAMS = {"imap": "imap", "paper_dsm": "dsm-welfare", "private_dsm": "dsm-private"}


class Identity(NamedTuple):
    """The columns of `games` that tell one game from another."""

    team: str
    simulated: bool
    setting: str | None
    condition: str
    task_id: str | None
    difficulty: str | None
    density: float | None
    repeat: int


def identify(trace: Trace, start: GameStart) -> Identity:
    """The identity of a trace's game, from its configuration, else from the task's name."""
    config = trace.config
    task = TASK.search(config.task_id or "")
    ours = config.team is not None
    # The `density` of a public trace is a default that its game did not use: the task's name is right.
    named_density = float(f"{task['whole']}.{task['tenths']}") if task else None
    return Identity(
        team=config.team or _team(trace, start),
        simulated=config.simulated,
        setting=config.setting or (SETTINGS.get(task["level"]) if task else None) or _setting_in_names(trace),
        condition=config.condition or _condition(trace, start, bool(task and task["blocked"])),
        task_id=config.task_id,
        difficulty=config.difficulty or (task["difficulty"] if task else None),
        density=config.density if ours or named_density is None else named_density,
        repeat=config.repeat,
    )


def _team(trace: Trace, start: GameStart) -> str:
    types = {agent.type or "" for agent in trace.config.agents}
    kind = types.pop() if len(types) == 1 else ""
    if kind in TEAMS:
        return TEAMS[kind]
    if kind.startswith("sd"):
        return "sd"
    return trace.metrics.team_model_label or start.team_model_label or kind or "unknown"


def _setting_in_names(trace: Trace) -> str | None:
    names = f"{trace.config.experiment_name or ''} {trace.config.task_path or ''}"
    match = re.search(r"uniform|varied", names)
    return match[0] if match else None


def _condition(trace: Trace, start: GameStart, blocked: bool) -> str:
    if trace.config.nosy_agent_ids or start.nosy_agent_ids:
        return "adversarial"
    return "blocked" if blocked else "standard"
