"""Whether a game is of the task that it names: held against task lists, blocked forms and private labels by the rules
that make them."""

import re
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

import msgspec

from pipeline.tables.paths import PAPER_SUITE
from pipeline.traces.audit.calendar import ERRAND, Calendar, digest, listed_digest
from pipeline.traces.audit.divergences import Findings
from pipeline.traces.audit.game import Game
from pipeline.traces.audit.metrics import Calendars, Meetings, UnknownOptimum, of_benchmark, optimum, schedule_in_order
from pipeline.traces.audit.suites import ListedTask, Suites
from pipeline.traces.audit.trace import Trace
from pipeline.traces.records import NO_CAP
from sim.tasks.labels import draw, load_bank

BLOCKED = re.compile(r"(?P<task>.+)_blocked\d{1,6}")
# Draws of blocked errands; the published tasks needed at most a few.
MOST_DRAWS = 1_000

# Appendix F: what the paper's games share, and what differs where one agent probes. The public harness writes no cap as
# a large one.
PAPER_RULES = {"max_turns_per_round": 15, "decision_retries": 3, "channels": ["dm"], "communication_protocol": "dm"}
PROBED = PAPER_RULES | {"max_turns_per_round": 6, "dm_cap": 100}

OTHER_LIST = "where it is another list's task, name that list with --suite"

Problem = tuple[Any, Any, str]  # expected, found, what


def check_task(trace: Trace, game: Game, suites: Suites, findings: Findings) -> None:
    """Hold the game against the tasks of its name: it must be one of them. Where there is none, say so."""
    name = trace.config.get("task_id")
    form = BLOCKED.fullmatch(name) if isinstance(name, str) and name not in suites else None
    listed = suites.get(form["task"] if form else str(name), ())
    held = [(task, list(problems(trace, game, task, form is not None))) for task in listed]
    fitting = [task for task, differences in held if not differences]
    if any(task.digest for task in fitting):
        if any(task.suite == PAPER_SUITE.name for task in fitting):
            check_rules(trace, findings)
        check_difficulty(trace, fitting, findings)
        return
    if not held and not trace.public and (twin := same_calendars(game, suites)):
        what = f"name of a task of {twin.suite}, by its calendars; {OTHER_LIST}"
        findings.add("wrong_task", twin.task_id, name, what)
        return
    if fitting or not held:
        reason = "its list has no calendars_sha256" if fitting else "no list has this task; name its list with --suite"
        findings.add("unknown_task", "", name, reason)
        return
    task, differences = min(held, key=lambda pair: len(pair[1]))
    for expected, actual, what in differences:
        findings.add("wrong_task", expected, actual, f"{what} of {name} in {task.suite}; {OTHER_LIST}")


def same_calendars(game: Game, suites: Suites) -> ListedTask | None:
    """A listed task with the game's initial calendars, or with those before any errand was blocked."""
    forms = (game.setup.calendars, unblocked(game.setup.calendars))
    own = {one for form in forms for one in digests(form)}
    return next((task for tasks in suites.values() for task in tasks if task.digest in own), None)


def digests(calendars: Calendars) -> tuple[str, str]:
    """The digest of the calendars as the paper's list has it, and as traces have it."""
    return listed_digest(calendars), digest(calendars)


def check_difficulty(trace: Trace, tasks: Iterable[ListedTask], findings: Findings) -> None:
    """The difficulty of a game is that of a list, or a word: a third among other tasks, or a level of one's own, is
    nothing that can be known. Public traces need not state it."""
    listed, stated = [task.difficulty for task in tasks], trace.config.get("difficulty")
    if None in listed or stated in listed or (trace.public and stated is None):
        return
    code = "other_difficulty" if isinstance(stated, str) and stated else "wrong_task"
    findings.add(code, min(filter(None, listed)), stated, f"config.difficulty; {OTHER_LIST}")


def check_rules(trace: Trace, findings: Findings) -> None:
    """The limits that the trace states must be those of the paper's games, standard and blocked, or adversarial."""
    probes = any(e.type == "agent_registered" and e.data.get("is_nosy_agent") for e in trace.events)
    for name, value in (PROBED if probes else PAPER_RULES).items():
        if trace.config.get(name, value) != value:
            findings.add("other_rules", value, trace.config[name], f"config.{name}")
    cap = trace.config.get("dm_cap")
    uncapped = cap in (None, NO_CAP) or (trace.public and cap > NO_CAP)
    if not probes and not uncapped:
        findings.add("other_rules", None, cap, "config.dm_cap")


def problems(trace: Trace, game: Game, task: ListedTask, is_blocked: bool) -> Iterator[Problem]:
    """What of the game is not the listed task's."""
    calendars, meetings = game.setup.calendars, game.setup.meetings
    as_played = task.digest in digests(calendars)
    itself = as_played and any(blocked_slots(calendars)) and BLOCKED.fullmatch(task.task_id) is not None
    yield from wrong_names(trace, task, is_blocked or itself)
    if len(calendars) != task.num_agents:
        yield task.num_agents, len(calendars), "number of agents"
        return
    standard = unblocked(calendars) if is_blocked else calendars
    if task.digest and not as_played and task.digest not in digests(standard):
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
    # The density that the public harness writes is a default that was not in force, and it may leave out the rest.
    for name in ("setting", "num_participants", *(() if trace.public else ("density",))):
        listed = getattr(task, name)
        stated = config.get(name, listed if trace.public else None)
        if listed is not None and stated != listed:
            yield listed, stated, name
    condition = config.get("condition")
    wanted = "blocked" if is_blocked else "standard"
    if condition is not None and condition not in (wanted, "adversarial"):
        yield wanted, condition, "condition"


def wrong_costs(trace: Trace, game: Game, task: ListedTask, is_blocked: bool) -> Iterator[Problem]:
    """What the list says of the task's costs: its meetings are not in the digest, but they decide these."""
    calendars, meetings = game.setup.calendars, game.setup.meetings
    witness = stated_slots(trace, meetings, "witness")
    given = schedule_in_order(calendars, meetings, witness) if witness else None
    if given and task.witness_cost not in (None, given.cost):
        yield task.witness_cost, given.cost, "witness's cost"
    best = optimum(calendars, meetings)
    stated = stated_slots(trace, meetings, "optimal")
    scenario = trace.config.get("scenario")
    proven = not isinstance(scenario, dict) or scenario.get("optimal_bound") is None
    # A list without digests does not say with how much effort the optimum was sought.
    if task.digest and best and stated and proven and best.slots != stated:
        yield list(best.slots), list(stated), "optimal slots"
    if is_blocked:
        return
    if not proven and task.optimal_cost is not None:
        yield task.optimal_cost, "not proven", "optimal cost"
    schedule = schedule_in_order(calendars, meetings)
    greedy = schedule.cost if schedule else None
    if task.greedy_cost not in (None, greedy):
        yield task.greedy_cost, greedy, "greedy cost"
    least = best.cost if best else None
    if task.optimal_cost not in (None, least):
        yield task.optimal_cost, least, "optimal cost"


def wrong_blocks(trace: Trace, game: Game, task: ListedTask) -> Iterator[Problem]:
    """The blocked errands: so many an agent, and, where the trace tells the witness, those of the rule's draw."""
    calendars, meetings = game.setup.calendars, game.setup.meetings
    number = max(1, round(6 * task.density**2)) if task.blocked_errands is None else task.blocked_errands
    if trace.config["task_id"] != f"{task.task_id}_blocked{number}":
        yield f"{task.task_id}_blocked{number}", trace.config["task_id"], "name"
    blocked = blocked_slots(calendars)
    if any(len(slots) != number for slots in blocked):
        yield number, [len(slots) for slots in blocked], "blocked errands an agent"
        return
    witness = stated_slots(trace, meetings, "witness")
    if witness is None:
        return
    drawn = drawn_slots(unblocked(calendars), meetings, witness, f"{task.task_id}:{number}", number)
    if drawn != blocked:
        yield drawn, blocked, "blocked slots"


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
        if schedule_in_order(drawn, meetings) and optimum(drawn, meetings) is not None:
            return slots
    return None


def eligible_slots(calendar: Calendar, agent: int, meetings: Meetings, witness: tuple[Any, ...]) -> list[int]:
    """The slots, ascending, that hold an errand and none of the agent's meetings in the witness."""
    own = {s for m, s in zip(meetings, witness, strict=True) if type(s) is int and agent in m.participants}
    return [s for s, item in enumerate(calendar) if item and item.kind == ERRAND and s not in own]


def stated_slots(trace: Trace, meetings: Meetings, schedule: str) -> tuple[Any, ...] | None:
    """Each meeting's slot in a schedule of the scenario, such as its witness, where the trace tells it."""
    holder: Any = trace.config
    for name in ("scenario", schedule, "assignments"):
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


def check_labels(trace: Trace, game: Game, findings: Findings) -> None:
    """The scenario's labels, where it lists them: its seed draws them from the bank (Appendix D.1)."""
    scenario = trace.config.get("scenario")
    listed = scenario.get("labels") if isinstance(scenario, dict) else None
    if listed is None or len(game.setup.meetings) < game.setup.announced:
        return
    drawn = drawn_labels(game, trace.config.get("seed"))
    for kind, labels in drawn.items():
        stated = listed.get(kind) if isinstance(listed, dict) else None
        if stated != labels:
            different = [n for n in labels if not isinstance(stated, dict) or stated.get(n) != labels[n]]
            detail = f"config.scenario.labels.{kind} {', '.join(different[:5])}".rstrip()
            first = different[0] if different else None
            actual = stated.get(first) if isinstance(stated, dict) and first else stated
            findings.add("wrong_labels", labels.get(first) if first else len(labels), actual, detail)


def drawn_labels(game: Game, seed: Any) -> dict[str, dict[str, Any]]:
    """The labels of errands and of meetings, by their numbers."""
    meetings = {meeting.id: meeting for meeting in (*game.setup.meetings, *game.prior)}
    drawn = draw(load_bank(), *of_benchmark(game.setup.calendars, meetings.values()), seed)
    plain: dict[str, dict[str, Any]] = msgspec.json.decode(msgspec.json.encode(drawn))
    return plain
