"""Whether a game is of the task that it names: held against task lists, blocked forms and private labels by the rules
that make them."""

import re
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

import msgspec

from pipeline.tables.paths import PAPER_SUITE
from pipeline.traces.audit.claims import digest
from pipeline.traces.audit.divergences import Findings
from pipeline.traces.audit.suites import ListedTask, Suites
from pipeline.traces.audit.trace import Setup, Trace
from pipeline.traces.audit.yardsticks import Calendars, Meetings, UnknownOptimum, optimum, scheduled, stated_slots
from pipeline.traces.records import NO_CAP
from sim.calendar import Calendar, Errand
from sim.tasks.labels import draw, load_bank
from sim.tasks.scenario import Scenario
from sim.tasks.suite import MOST_ATTEMPTS, blocked_per_agent, eligible_slots, prior_meetings

BLOCKED = re.compile(r"(?P<task>.+)_blocked\d{1,6}")
# Appendix F: what the paper's games share, and what differs where one agent probes. The public harness writes no cap as
# a large one.
PAPER_RULES = {"max_turns_per_round": 15, "decision_retries": 3, "channels": ["dm"], "communication_protocol": "dm"}
PROBED = PAPER_RULES | {"max_turns_per_round": 6, "dm_cap": 100}
OTHER_LIST = "where it is another list's task, name that list with --suite"

Problem = tuple[Any, Any, str]  # expected, found, what


def check_task(trace: Trace, setup: Setup, suites: Suites, findings: Findings) -> None:
    """Hold the game against the tasks of its name: it must be one of them. Where there is none, say so."""
    name = trace.config.get("task_id")
    form = BLOCKED.fullmatch(name) if isinstance(name, str) and name not in suites else None
    listed = suites.get(form["task"] if form else str(name), ())
    held = [(task, list(problems(trace, setup, task, form is not None))) for task in listed]
    fitting = [task for task, differences in held if not differences]
    if any(task.calendars_sha256 for task in fitting):
        if any(task.suite == PAPER_SUITE.name for task in fitting):
            check_rules(trace, findings)
        check_difficulty(trace, fitting, findings)
        return
    if not held and not trace.public and (twin := same_calendars(setup, suites)):
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


def same_calendars(setup: Setup, suites: Suites) -> ListedTask | None:
    """A listed task with the game's initial calendars, or with those before any errand was blocked."""
    own = digests(setup.calendars) | digests(unblocked(setup.calendars))
    return next((task for tasks in suites.values() for task in tasks if task.calendars_sha256 in own), None)


def digests(calendars: Calendars) -> set[str]:
    """The digest of the calendars as the paper's list has it, and as traces have it."""
    return {digest(calendars, "sorted"), digest(calendars)}


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
    probes = any(data.get("is_nosy_agent") for data in trace.all_of("agent_registered"))
    for name, value in (PROBED if probes else PAPER_RULES).items():
        if trace.config.get(name, value) != value:
            findings.add("other_rules", value, trace.config[name], f"config.{name}")
    cap = trace.config.get("dm_cap")
    uncapped = cap in (None, NO_CAP) or (trace.public and cap > NO_CAP)
    if not probes and not uncapped:
        findings.add("other_rules", None, cap, "config.dm_cap")


def problems(trace: Trace, setup: Setup, task: ListedTask, is_blocked: bool) -> Iterator[Problem]:
    """What of the game is not the listed task's."""
    calendars = setup.calendars
    as_played = task.calendars_sha256 in digests(calendars)
    itself = as_played and any(blocked_slots(calendars)) and BLOCKED.fullmatch(task.task_id) is not None
    yield from wrong_names(trace, task, is_blocked or itself)
    if len(calendars) != task.num_agents:
        yield task.num_agents, len(calendars), "number of agents"
        return
    standard = unblocked(calendars) if is_blocked else calendars
    if task.calendars_sha256 and not as_played and task.calendars_sha256 not in digests(standard):
        yield task.calendars_sha256, digest(standard, "sorted"), "digest of the initial calendars"
        return
    if setup.partial:
        return
    try:
        yield from wrong_costs(trace, setup, task, is_blocked)
        if is_blocked:
            yield from wrong_blocks(trace, setup, task)
    except UnknownOptimum:  # which is told where the optimum is checked
        return


def wrong_names(trace: Trace, task: ListedTask, is_blocked: bool) -> Iterator[Problem]:
    """Seed, setting and condition, wherever the trace states them."""
    config, seed = trace.config, trace.first("game_start").get("scenario_seed")
    for place, value in (("config.seed", config.get("seed")), ("scenario_seed", seed)):
        if value is not None and value != task.seed:
            yield task.seed, value, place
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


def wrong_costs(trace: Trace, setup: Setup, task: ListedTask, is_blocked: bool) -> Iterator[Problem]:
    """What the list says of the task's costs: its meetings are not in the digest, but they decide these."""
    calendars, meetings = setup.calendars, setup.meetings
    witness, stated = stated_slots(trace, meetings, "witness"), stated_slots(trace, meetings, "optimal")
    given = scheduled(calendars, meetings, witness) if witness else None
    if given and task.witness_cost not in (None, given.cost):
        yield task.witness_cost, given.cost, "witness's cost"
    best, proven = optimum(calendars, meetings), trace.scenario.get("optimal_bound") is None
    # A list without digests does not say with how much effort the optimum was sought.
    if task.calendars_sha256 and best and stated and proven and best.slots != stated:
        yield list(best.slots), list(stated), "optimal slots"
    if is_blocked:
        return
    if not proven and task.optimal_cost is not None:
        yield task.optimal_cost, "not proven", "optimal cost"
    schedule = scheduled(calendars, meetings)
    greedy = schedule.cost if schedule else None
    if task.greedy_cost not in (None, greedy):
        yield task.greedy_cost, greedy, "greedy cost"
    least = best.cost if best else None
    if task.optimal_cost not in (None, least):
        yield task.optimal_cost, least, "optimal cost"


def wrong_blocks(trace: Trace, setup: Setup, task: ListedTask) -> Iterator[Problem]:
    """The blocked errands: so many an agent, and, where the trace tells the witness, those of the rule's draw."""
    number = blocked_per_agent(task.density) if task.blocked_errands is None else task.blocked_errands
    if trace.config["task_id"] != f"{task.task_id}_blocked{number}":
        yield f"{task.task_id}_blocked{number}", trace.config["task_id"], "name"
    blocked, witness = blocked_slots(setup.calendars), stated_slots(trace, setup.meetings, "witness")
    if any(len(slots) != number for slots in blocked):
        yield number, [len(slots) for slots in blocked], "blocked errands an agent"
    elif witness is not None:
        drawn = drawn_slots(unblocked(setup.calendars), setup.meetings, witness, f"{task.task_id}:{number}", number)
        if drawn != blocked:
            yield drawn, blocked, "blocked slots"


def drawn_slots(
    calendars: Calendars, meetings: Meetings, witness: tuple[Any, ...], name: str, number: int
) -> list[list[int]] | None:
    """The slots that the rule blocks: the first draw that leaves an optimum and a greedy schedule."""
    scenario = Scenario(calendars, meetings, witness)
    eligible = [eligible_slots(scenario, agent) for agent in range(len(calendars))]
    if min(map(len, eligible)) < number:
        return None
    for attempt in range(MOST_ATTEMPTS):
        rng = Random(f"blocked:{name}:{attempt}")
        slots = [sorted(rng.sample(e, number)) for e in eligible]
        drawn = tuple(with_blocked(c, s) for c, s in zip(calendars, slots, strict=True))
        if scheduled(drawn, meetings) and optimum(drawn, meetings) is not None:
            return slots
    return None


def blocked_slots(calendars: Calendars) -> list[list[int]]:
    """Each agent's blocked slots, ascending."""
    return [[s for s, i in enumerate(calendar.slots) if isinstance(i, Errand) and i.blocked] for calendar in calendars]


def unblocked(calendars: Calendars) -> Calendars:
    """The calendars with every errand free to move."""
    return tuple(with_blocked(calendar, ()) for calendar in calendars)


def with_blocked(calendar: Calendar, slots: Any) -> Calendar:
    """The calendar with exactly these slots blocked."""
    items = enumerate(calendar.slots)
    return Calendar([msgspec.structs.replace(i, blocked=s in slots) if isinstance(i, Errand) else i for s, i in items])


def check_labels(trace: Trace, setup: Setup, findings: Findings) -> None:
    """The scenario's labels, where it lists them: its seed draws them from the bank (Appendix D.1)."""
    listed = trace.scenario.get("labels")
    if listed is None or setup.partial:
        return
    meetings = (*setup.meetings, *prior_meetings(setup.calendars))
    drawn = msgspec.to_builtins(
        draw(load_bank(), setup.calendars, meetings, trace.config.get("seed", 0)), str_keys=True
    )
    for kind, labels in msgspec.json.decode(msgspec.json.encode(drawn)).items():
        stated = listed.get(kind) if isinstance(listed, dict) else None
        if stated != labels:
            known = stated if isinstance(stated, dict) else {}
            different = [n for n in {**labels, **known} if known.get(n) != labels.get(n)]
            first = different[0] if different else ""
            detail = f"config.scenario.labels.{kind} {', '.join(different[:5])}"
            findings.add("wrong_labels", labels.get(first), known.get(first), detail)
