"""Whether a game is of the task that it names: held against task lists, blocked forms by the rule that makes them."""

import re
from collections.abc import Iterator
from random import Random
from typing import Any

from pipeline.traces.audit.calendar import ERRAND, Calendar, digest, listed_digest
from pipeline.traces.audit.divergences import Findings
from pipeline.traces.audit.game import Game
from pipeline.traces.audit.metrics import Calendars, Meetings, UnknownOptimum, least_cost, schedule_in_order
from pipeline.traces.audit.suites import ListedTask, Suites
from pipeline.traces.audit.trace import Trace

BLOCKED = re.compile(r"(?P<task>.+)_blocked\d{1,6}")
# Draws of blocked errands; the published tasks needed at most a few.
MOST_DRAWS = 1_000

Problem = tuple[Any, Any, str]  # expected, found, what


def check_task(trace: Trace, game: Game, suites: Suites, findings: Findings) -> None:
    """Hold the game against the tasks of its name: it must be one of them. Where there is none, say so."""
    name = trace.config.get("task_id")
    form = BLOCKED.fullmatch(name) if isinstance(name, str) and name not in suites else None
    listed = suites.get(form["task"] if form else str(name), ())
    held = [(task, list(problems(trace, game, task, form is not None))) for task in listed]
    fitting = [task for task, found in held if not found]
    if any(task.digest for task in fitting):
        return
    if fitting or not held:
        reason = "its list has no calendars_sha256" if fitting else "no list has this task; name its list with --suite"
        findings.add("unknown_task", "", name, reason)
        return
    task, found = min(held, key=lambda pair: len(pair[1]))
    for expected, actual, what in found:
        findings.add("wrong_task", expected, actual, f"{what} of {name} in {task.suite}")


def problems(trace: Trace, game: Game, task: ListedTask, is_blocked: bool) -> Iterator[Problem]:
    """What of the game is not the listed task's."""
    calendars, meetings = game.setup.calendars, game.setup.meetings
    yield from wrong_names(trace, task, is_blocked)
    if len(calendars) != task.num_agents:
        yield task.num_agents, len(calendars), "number of agents"
        return
    standard = unblocked(calendars) if is_blocked else calendars
    if task.digest and task.digest not in (listed_digest(standard), digest(standard)):
        yield task.digest, listed_digest(standard), "digest of the initial calendars"
        return
    if len(meetings) < game.setup.announced:
        return
    try:
        yield from wrong_costs(trace, game, task, is_blocked)
        if is_blocked:
            yield from wrong_blocks(trace, game, task)
    except UnknownOptimum:  # which is told where the optimum is checked
        return


def wrong_names(trace: Trace, task: ListedTask, is_blocked: bool) -> Iterator[Problem]:
    """Seed, setting and condition, wherever the trace states them."""
    config = trace.config
    start = next((e.data for e in trace.events if e.type == "game_start"), {})
    for place, holder in (("config.seed", config.get("seed")), ("scenario_seed", start.get("scenario_seed"))):
        if holder is not None and holder != task.seed:
            yield task.seed, holder, place
    if "setting" in config and config["setting"] != task.setting:
        yield task.setting, config["setting"], "setting"
    condition = config.get("condition")
    wanted = "blocked" if is_blocked else "standard"
    if condition is not None and condition not in (wanted, "adversarial"):
        yield wanted, condition, "condition"


def wrong_costs(trace: Trace, game: Game, task: ListedTask, is_blocked: bool) -> Iterator[Problem]:
    """What the list says of the task's costs: its meetings are not in the digest, but they decide these."""
    calendars, meetings = game.setup.calendars, game.setup.meetings
    witness = witness_slots(trace, meetings)
    given = schedule_in_order(calendars, meetings, witness) if witness else None
    if given and task.witness_cost not in (None, sum(given.paid)):
        yield task.witness_cost, sum(given.paid), "witness's cost"
    if is_blocked:
        return
    schedule = schedule_in_order(calendars, meetings)
    greedy = sum(schedule.paid) if schedule else None
    if task.greedy_cost not in (None, greedy):
        yield task.greedy_cost, greedy, "greedy cost"
    least = least_cost(calendars, meetings)
    if task.optimal_cost not in (None, least):
        yield task.optimal_cost, least, "optimal cost"


def wrong_blocks(trace: Trace, game: Game, task: ListedTask) -> Iterator[Problem]:
    """The blocked errands: so many an agent, and, where the trace tells the witness, those of the rule's draw."""
    calendars, meetings = game.setup.calendars, game.setup.meetings
    number = max(1, round(6 * task.density**2))
    if trace.config["task_id"] != f"{task.task_id}_blocked{number}":
        yield f"{task.task_id}_blocked{number}", trace.config["task_id"], "name"
    found = blocked_slots(calendars)
    if any(len(slots) != number for slots in found):
        yield number, [len(slots) for slots in found], "blocked errands an agent"
        return
    witness = witness_slots(trace, meetings)
    if witness is None:
        return
    drawn = drawn_slots(unblocked(calendars), meetings, witness, f"{task.task_id}:{number}", number)
    if drawn != found:
        yield drawn, found, "blocked slots"


def drawn_slots(
    calendars: Calendars, meetings: Meetings, witness: tuple[Any, ...], name: str, number: int
) -> list[list[int]] | None:
    """The slots that the rule blocks: the first draw that leaves an optimum and a greedy schedule."""
    eligible = [eligible_slots(calendar, agent, meetings, witness) for agent, calendar in enumerate(calendars)]
    if min(map(len, eligible)) < number:
        return None
    for attempt in range(MOST_DRAWS):
        rng = Random(f"blocked:{name}:{attempt}")
        slots = [sorted(rng.sample(e, number)) for e in eligible]
        drawn = tuple(with_blocked(c, s) for c, s in zip(calendars, slots, strict=True))
        if schedule_in_order(drawn, meetings) and least_cost(drawn, meetings) is not None:
            return slots
    return None


def eligible_slots(calendar: Calendar, agent: int, meetings: Meetings, witness: tuple[Any, ...]) -> list[int]:
    """The slots, ascending, that hold an errand and none of the agent's meetings in the witness."""
    taken = {slot for m, slot in zip(meetings, witness, strict=True) if agent in m.participants}
    return [s for s, item in enumerate(calendar) if item and item.kind == ERRAND and s not in taken]


def witness_slots(trace: Trace, meetings: Meetings) -> tuple[Any, ...] | None:
    """Each meeting's slot in the witness, where the trace tells it."""
    holder: Any = trace.config
    for name in ("scenario", "witness", "assignments"):
        holder = holder.get(name) if isinstance(holder, dict) else None
    return tuple(holder.get(str(m.id)) for m in meetings) if isinstance(holder, dict) else None


def blocked_slots(calendars: Calendars) -> list[list[int]]:
    """Each agent's blocked slots, ascending."""
    return [[s for s, item in enumerate(calendar) if item and item.blocked] for calendar in calendars]


def unblocked(calendars: Calendars) -> Calendars:
    """The calendars with every errand free to move."""
    return tuple(with_blocked(calendar, ()) for calendar in calendars)


def with_blocked(calendar: Calendar, slots: Any) -> Calendar:
    """The calendar with exactly these slots blocked."""
    return tuple(item and item._replace(blocked=s in slots) for s, item in enumerate(calendar))
