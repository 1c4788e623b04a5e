"""Tasks: a scenario with its optimum, its yardsticks and its name, from a list of seeds (paper, section 3.3)."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from msgspec import Struct

from machine.output import write_atomically
from sim.calendar import Calendar, Errand, ScheduledMeeting
from sim.tasks.oracle import Counts, NoSchedule, NotProven, TooManyStates, count, solve
from sim.tasks.scenario import Meeting, Parameters, Scenario, ScenarioError, draw_speaker_orders, generate, given
from sim.tasks.schedules import Replay, greedy, replay, replay_optimum
from sim.tasks.task import Schedule, Task, contradiction

VARIED_COSTS = (1, 100, 1000)
# Bytes of a task's name. A file's name has 255 at most, and a trace's has its repeat, its ending and, while it is
# written, a process id beside the task's.
LONGEST_NAME = 200
# Where no draw of blocked errands leaves a feasible task: far beyond what any published task needed.
MOST_ATTEMPTS = 1000


class TaskError(ValueError):
    """Why a list or a file of tasks can't be used: where, what, and what to do."""


class Entry(Struct, frozen=True, kw_only=True):
    """A line of a task list: a name, a difficulty, and the parameters of the scenario."""

    task_id: str
    setting: str
    difficulty: str
    parameters: Parameters


class Solving(Struct, frozen=True):
    """How far to look for the optimum: `effort` in the solver's deterministic time (None: until it is proven), and
    whether to `keep` the cheapest schedule found where that did not prove it."""

    effort: float | None = None
    keep: bool = False


def make_task(entry: Entry, solving: Solving = Solving()) -> Task:
    """The task of a list's entry. Raises ScenarioError, NoSchedule or NotProven where there is none."""
    return assemble(entry, "standard", generate(entry.parameters), solving)


def assemble(entry: Entry, condition: str, scenario: Scenario, solving: Solving = Solving()) -> Task:
    """The task that a scenario makes, solved and with its yardsticks."""
    p, calendars, meetings = entry.parameters, scenario.calendars, scenario.meetings
    optimum = solve(calendars, meetings, solving.effort, scenario.witness, solving.keep)
    counts = counted(scenario)
    return Task(
        task_id=entry.task_id,
        setting=entry.setting,
        condition=condition,
        seed=p.seed,
        num_agents=p.num_agents,
        num_participants=p.num_participants,
        num_meetings=p.num_meetings,
        num_slots=p.num_slots,
        density=p.density,
        difficulty=entry.difficulty,
        parameters=p,
        calendars=calendars,
        meetings=meetings,
        optimal=schedule_of(meetings, replay_optimum(calendars, meetings, optimum.slots)),
        greedy=schedule_of(meetings, greedy(calendars, meetings)),
        witness=schedule_of(meetings, replay(calendars, meetings, scenario.witness)),
        displaced_errands=optimum.displaced,
        difficulty_score=difficulty_score(optimum.cost, meetings),
        feasible_assignments=counts.feasible if counts else None,
        optimal_assignments=counts.optimal if counts else None,
        optimal_bound=optimum.bound,
    )


def blocked_per_agent(density: float) -> int:
    """How many errands of each agent are blocked."""
    return max(1, round(6 * density**2))


def make_listed_task(entry: Entry, blocked: bool, solving: Solving = Solving()) -> Task:
    """The task of a list's entry: in its blocked form where the list says how many errands of each agent are, or where
    all are to be `blocked` and the list doesn't say none. Raises ScenarioError, NoSchedule or NotProven."""
    wanted = given(entry.parameters.blocked_errands, int(blocked))
    return make_blocked_task(entry, solving) if wanted else make_task(entry, solving)


def make_blocked_task(entry: Entry, solving: Solving = Solving()) -> Task:
    """The blocked form of a list's entry: the first draw that leaves both the oracle and the greedy a schedule.

    Raises ScenarioError where an agent has too few errands to block, or no draw leaves a schedule.
    """
    number = given(entry.parameters.blocked_errands, blocked_per_agent(entry.parameters.density))
    named = msgspec.structs.replace(entry, task_id=f"{entry.task_id}_blocked{number}")
    scenario = generate(entry.parameters)
    eligible = [eligible_slots(scenario, agent) for agent in range(entry.parameters.num_agents)]
    if min(map(len, eligible)) < number:
        raise ScenarioError(f"the rule 'each agent has {number} errands outside its witness slots to block' fails")
    for attempt in range(MOST_ATTEMPTS):
        rng = Random(f"blocked:{entry.task_id}:{number}:{attempt}")
        slots = [sorted(rng.sample(e, number)) for e in eligible]
        drawn = msgspec.structs.replace(scenario, calendars=blocked(scenario.calendars, slots))
        with suppress(NoSchedule):
            return assemble(named, "blocked", drawn, solving)
    raise ScenarioError(f"the rule 'some draw of {number} blocked errands an agent leaves a schedule' fails")


def eligible_slots(scenario: Scenario, agent: int) -> list[int]:
    """The slots, ascending, that hold an errand and are none of the agent's witness slots."""
    reserved = {s for m, s in zip(scenario.meetings, scenario.witness, strict=True) if agent in m.participants}
    slots = scenario.calendars[agent].slots
    return [s for s, item in enumerate(slots) if isinstance(item, Errand) and s not in reserved]


def blocked(calendars: Sequence[Calendar], slots: Sequence[Collection[int]]) -> tuple[Calendar, ...]:
    """The calendars with each agent's errands in its slots blocked."""
    return tuple(
        Calendar([block(item) if s in chosen else item for s, item in enumerate(calendar.slots)])
        for calendar, chosen in zip(calendars, slots, strict=True)
    )


def block(item: object) -> Errand:
    """The errand, immovable."""
    assert isinstance(item, Errand)
    return msgspec.structs.replace(item, blocked=True)


def counted(scenario: Scenario) -> Counts | None:
    """How many assignments the scenario has, or None where they are too many to count."""
    try:
        return count(scenario.calendars, scenario.meetings)
    except TooManyStates:
        return None


def checked(make: Callable[[Entry], Task], entry: Entry) -> Task:
    """The task that `make` makes of the entry. Raises TaskError, which says which task it is about."""
    try:
        return make(entry)
    except (ScenarioError, NoSchedule, NotProven) as error:
        raise TaskError(f"task {entry.task_id} can't be generated: {error}") from error


def schedule_of(meetings: Iterable[Meeting], replayed: Replay) -> Schedule:
    """The replay as a task records it."""
    return Schedule(
        replayed.cost, {m.id: s for m, s in zip(meetings, replayed.slots, strict=True)}, replayed.per_agent_cost
    )


def difficulty_score(optimal_cost: int, meetings: Iterable[Meeting]) -> float:
    """The optimum over Σ duration × participants, each duration 1 (paper, section 3.3)."""
    return optimal_cost / sum(len(m.participants) for m in meetings)


def write_tasks(tasks: Iterable[Task], path: Path) -> None:
    """One task a line, JSON; the file appears whole or not at all."""
    encoder = msgspec.json.Encoder(enc_hook=encode_calendar)
    write_atomically(path, (encoder.encode(task) + b"\n" for task in tasks))


def read_tasks(path: Path) -> list[Task]:
    """The tasks of the file. Raises TaskError, naming the line, where one can't be read or a name comes twice."""
    decoder = msgspec.json.Decoder(Task, dec_hook=decode_calendar)
    tasks, names = [], set()
    for number, line in enumerate(lines_of(path), start=1):
        try:
            task = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise TaskError(f"{path}, line {number}: not a task ({error}); make the file with `sim suite`") from error
        if problem := name_problem(task.task_id):
            raise TaskError(f"{path}, line {number}: {problem}")
        if problem := contradiction(task):
            raise TaskError(f"{path}, line {number}: {problem}; make the file with `sim suite`")
        if task.task_id in names:
            raise TaskError(f"{path}, line {number}: task {task.task_id} comes twice; give each a name of its own")
        names.add(task.task_id)
        tasks.append(with_speaker_orders(task))
    if not tasks:
        raise TaskError(f"{path}: holds no task; make the file with `sim suite`")
    return tasks


def name_problem(task_id: str) -> str | None:
    """Why no task can have this name, which names its trace's file in the folder of a run; None where one can."""
    if not task_id or task_id[0] == "." or not task_id.isprintable() or set(task_id) & set("/\\"):
        return f"the task_id {task_id!r} can't name a file; use letters, digits and _"
    if len(task_id.encode()) > LONGEST_NAME:
        return f"the task_id {task_id[:20]!r}… can't name a file: it has more than {LONGEST_NAME} bytes; shorten it"
    return None


def prior_meetings(calendars: Sequence[Calendar]) -> tuple[Meeting, ...]:
    """The meetings that stand on the calendars, by id: agreed before the game begins."""
    meetings = {
        item.meeting_id: Meeting(item.meeting_id, item.participants, item.cost)
        for calendar in calendars
        for item in calendar.slots
        if isinstance(item, ScheduledMeeting)
    }
    return tuple(meetings[number] for number in sorted(meetings))


def with_speaker_orders(task: Task) -> Task:
    """The task; where its meetings name no speaker order, with the one that its seed gives."""
    if all(m.speaker_order for m in task.meetings):
        return task
    orders = draw_speaker_orders(task.seed, task.num_agents, [m.participants for m in task.meetings])
    meetings = (msgspec.structs.replace(m, speaker_order=o) for m, o in zip(task.meetings, orders, strict=True))
    return msgspec.structs.replace(task, meetings=tuple(meetings))


def lines_of(path: Path) -> list[bytes]:
    """The non-empty lines of a file. Raises TaskError where it can't be read."""
    try:
        if path.exists() and not path.is_file():
            raise TaskError(f"{path}: is no file; name a file made with `sim suite`")
        return [line for line in path.read_bytes().removeprefix(BOM_UTF8).splitlines() if line.strip()]
    except OSError as error:
        raise TaskError(f"{path}: can't be read ({error.strerror}); name a file made with `sim suite`") from error


def encode_calendar(value: Any) -> Any:
    """A calendar as JSON: its slots."""
    if isinstance(value, Calendar):
        return value.slots
    raise NotImplementedError(f"{type(value)} has no JSON form")


def decode_calendar(kind: type, value: Any) -> Any:
    """A calendar from its slots: null, an errand, or a meeting that stands there from the start."""
    if kind is Calendar:
        return Calendar([item and msgspec.convert(item, kind_of(item)) for item in msgspec.convert(value, list[Any])])
    raise NotImplementedError(f"{kind} has no JSON form")


def kind_of(item: Any) -> type[Errand] | type[ScheduledMeeting]:
    """What a slot's record is."""
    return ScheduledMeeting if isinstance(item, dict) and "meeting_id" in item else Errand
