"""A scenario from a seed: calendars, meetings and the hidden witness (paper, Appendix D.1).

Every draw comes from `random.Random(seed)`, and the order of the draws is part of the format: a published seed
gives the published calendars, slot for slot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb
from random import Random

from msgspec import UNSET, Struct, UnsetType

from sim.calendar import Calendar, Errand, Item, ScheduledMeeting

# What a scenario may be at most: beyond, games take hours and traces do not fit where they are read.
MOST_AGENTS, MOST_SLOTS, MOST_MEETINGS = 100, 1024, 200
MOST_COST = 1_000_000


class ScenarioError(ValueError):
    """Why no scenario comes of the parameters: the rule that fails."""


class Meeting(Struct, frozen=True):
    """One meeting of the stream: round r schedules the r-th. Ids count from 1; it fills one slot, its `duration`."""

    id: int
    participants: tuple[int, ...]
    cost: int = 1
    duration: int = 1
    speaker_order: tuple[int, ...] = ()


class Parameters(Struct, frozen=True, kw_only=True):
    """What a scenario is made from (Table 5; docs/environment.md says what each of them means).

    `errand_cost_values`, where given, is the list of costs that each agent's errands cycle through (the paper's
    varied tasks: 1, 100, 1000); otherwise a cost is drawn from 1 to `errand_cost_level`, which defaults to
    `pref_level`. `agent_densities`, where given, replaces `density` agent by agent. `participant_lists`, where given,
    are the participants of each meeting. Not part of a record where they are unset, as in the paper's tasks:
    `duration` of every meeting in slots (1: no other is played), `prior_meetings` that stand on the calendars when the
    game begins (none), and `blocked_errands` of each agent (none).
    """

    seed: int
    num_agents: int
    num_participants: int
    density: float
    num_slots: int = 16
    num_meetings: int = 5
    pref_level: int = 1
    errand_cost_level: int | None = None
    meeting_cost_level: int = 1
    errand_cost_values: tuple[int, ...] | None = None
    agent_densities: tuple[float, ...] | None = None
    participant_lists: tuple[tuple[int, ...], ...] | None = None
    force_witness_errand: bool = True
    duration: int | UnsetType = UNSET
    prior_meetings: int | UnsetType = UNSET
    blocked_errands: int | UnsetType = UNSET


def given(value: int | UnsetType, otherwise: int) -> int:
    """The value of a parameter, or what stands for it where it is unset."""
    return otherwise if isinstance(value, UnsetType) else value


class Scenario(Struct, frozen=True):
    """The agents' initial calendars, the stream of meetings, and the witness slot of each meeting."""

    calendars: tuple[Calendar, ...]
    meetings: tuple[Meeting, ...]
    witness: tuple[int, ...]


def generate(parameters: Parameters) -> Scenario:
    """The scenario of the parameters. Raises ScenarioError, naming the rule, where there is none."""
    check(parameters)
    p = parameters
    lists = p.participant_lists or draw_participants(p.seed, p.num_agents, p.num_participants, p.num_meetings)
    orders = draw_speaker_orders(p.seed, p.num_agents, lists)
    rng = Random(p.seed)
    costs = [rng.randint(1, p.meeting_cost_level) for _ in lists]
    prior = draw_prior(rng, p, len(lists))
    witness = draw_witness(rng, [*lists, *(m.participants for m in prior)], p.num_slots)
    homes = list(zip(prior, witness[len(lists) :], strict=True))
    witness = witness[: len(lists)]
    calendars = [
        draw_calendar(rng, p, agent, witness_slots(agent, lists, witness), held_slots(agent, homes))
        for agent in range(p.num_agents)
    ]
    meetings = [
        Meeting(i, tuple(members), cost, speaker_order=order)
        for i, (members, cost, order) in enumerate(zip(lists, costs, orders, strict=True), start=1)
    ]
    return Scenario(tuple(calendars), tuple(meetings), tuple(witness))


def check(p: Parameters) -> None:
    """Raise ScenarioError for the first rule that the parameters break."""
    rules = {
        "num_agents is at least 1": p.num_agents >= 1,
        f"num_agents is at most {MOST_AGENTS}": p.num_agents <= MOST_AGENTS,
        "num_participants lies between 1 and num_agents": 1 <= p.num_participants <= p.num_agents,
        "num_slots is at least 1": p.num_slots >= 1,
        f"num_slots is at most {MOST_SLOTS}": p.num_slots <= MOST_SLOTS,
        "num_meetings is at least 1": p.num_meetings >= 1,
        f"num_meetings is at most {MOST_MEETINGS}": p.num_meetings <= MOST_MEETINGS,
        "every density lies between 0 and 1": all(0 <= d <= 1 for d in (p.density, *(p.agent_densities or ()))),
        "agent_densities has one entry an agent": len(p.agent_densities or range(p.num_agents)) == p.num_agents,
        "the seed has at most 64 bits": -(2**63) <= p.seed < 2**63,
        f"no cost is above {MOST_COST}": max(costs_of(p)) <= MOST_COST,
        "cost levels are at least 1": min(p.pref_level, p.errand_cost_level or 1, p.meeting_cost_level) >= 1,
        "errand_cost_values are whole numbers of at least 0": all(c >= 0 for c in p.errand_cost_values or ()),
        "participant_lists has one list of distinct agents a meeting": valid_lists(p),
        "duration is 1": given(p.duration, 1) == 1,
        f"prior_meetings lie between 0 and {MOST_MEETINGS}": 0 <= given(p.prior_meetings, 0) <= MOST_MEETINGS,
        "blocked_errands is at least 0": given(p.blocked_errands, 0) >= 0,
    }
    broken = next((rule for rule, holds in rules.items() if not holds), None)
    if broken:
        raise ScenarioError(f"seed {p.seed}: the rule '{broken}' fails")


def costs_of(p: Parameters) -> tuple[int, ...]:
    """The costs and levels of costs that the parameters name."""
    return p.pref_level, p.errand_cost_level or 1, p.meeting_cost_level, *(p.errand_cost_values or ())


def valid_lists(p: Parameters) -> bool:
    """Whether the given participants, if any, are one non-empty list of distinct agents a meeting."""
    if p.participant_lists is None:
        return True
    agents = set(range(p.num_agents))
    distinct = all(m and len(set(m)) == len(m) and set(m) <= agents for m in p.participant_lists)
    return distinct and len(p.participant_lists) == p.num_meetings


def draw_prior(rng: Random, p: Parameters, stream: int) -> list[ScheduledMeeting]:
    """The meetings that stand on the calendars from the start, with ids after those of the stream."""
    return [
        ScheduledMeeting(
            stream + i,
            rng.randint(1, p.meeting_cost_level),
            tuple(sorted(rng.sample(range(p.num_agents), p.num_participants))),
        )
        for i in range(1, given(p.prior_meetings, 0) + 1)
    ]


def draw_witness(rng: Random, lists: Sequence[Sequence[int]], slots: int) -> list[int]:
    """A hidden feasible schedule: a slot of each meeting, none used twice by any agent."""
    used: dict[int, set[int]] = {}
    witness = []
    for i, members in enumerate(lists, start=1):
        taken = set().union(*(used.get(a, set()) for a in members))
        candidates = [s for s in range(slots) if s not in taken]
        if not candidates:
            raise ScenarioError(f"the rule 'every meeting has a witness slot' fails: meeting {i} finds none of {slots}")
        witness.append(rng.choice(candidates))
        for agent in members:
            used.setdefault(agent, set()).add(witness[-1])
    return witness


def witness_slots(agent: int, lists: Sequence[Sequence[int]], witness: Sequence[int]) -> list[int]:
    """The slots, ascending, that the witness reserves on the agent's calendar."""
    return sorted(slot for members, slot in zip(lists, witness, strict=True) if agent in members)


def held_slots(agent: int, homes: Sequence[tuple[ScheduledMeeting, int]]) -> dict[int, ScheduledMeeting]:
    """The slots of the agent's calendar that meetings fill from the start, and which."""
    return {slot: meeting for meeting, slot in homes if agent in meeting.participants}


def draw_calendar(
    rng: Random, p: Parameters, agent: int, reserved: Sequence[int], held: Mapping[int, ScheduledMeeting] = {}
) -> Calendar:
    """An agent's errands: on its witness slots first, then at random, leaving as many free slots as its meetings need.

    `held` are the slots that meetings fill from the start: no errand goes there.
    """
    density = p.density if p.agent_densities is None else p.agent_densities[agent]
    target = min(round(p.num_slots * density), p.num_slots - len(reserved) - len(held))
    open_slots = [s for s in range(p.num_slots) if s not in reserved and s not in held]
    absorbing = set(rng.sample(open_slots, min(len(reserved), max(0, target), len(open_slots))))
    fillable = [s for s in range(p.num_slots) if s not in absorbing and s not in held]
    fill = max(0, min(target, len(fillable)))
    # The order in which a CPython set yields its members numbers the errands, so it is part of the format.
    forced = list(set(reserved[:fill])) if p.force_witness_errand else []
    others = rng.sample([s for s in fillable if s not in forced], fill - len(forced))
    level = 1 if p.errand_cost_values else p.errand_cost_level or p.pref_level
    errands = {
        slot: Errand(agent * p.num_slots + number, rng.randint(1, level))
        for number, slot in enumerate([*forced, *others], start=1)
    }
    if p.errand_cost_values:
        errands = with_costs(errands, dealt_costs(p.seed + agent, p.errand_cost_values, len(errands)))
    items: dict[int, Item] = {**errands, **held}
    return Calendar([items.get(slot) for slot in range(p.num_slots)])


def dealt_costs(seed: int, values: Sequence[int], number: int) -> list[int]:
    """`number` costs that cycle through the values, shuffled."""
    costs = [values[i % len(values)] for i in range(number)]
    Random(seed).shuffle(costs)
    return costs


def with_costs(errands: dict[int, Errand], costs: Sequence[int]) -> dict[int, Errand]:
    """The errands with the costs handed out in slot order."""
    return {slot: Errand(errands[slot].errand_id, cost) for slot, cost in zip(sorted(errands), costs, strict=True)}


# How many sets of participants, or orders of speakers, a search for equal shares may look at before it is given up.
MOST_LOOKED_AT = 500_000


def draw_participants(seed: int, agents: int, size: int, meetings: int) -> tuple[tuple[int, ...], ...]:
    """The participants of each meeting, ascending: rotating, so that each agent takes part equally often if it can."""
    if size == agents:
        return (tuple(range(agents)),) * meetings
    if (size * meetings) % agents == 0:
        if comb(agents, size) > MOST_LOOKED_AT // meetings:
            return least_used_participants(Random(seed), agents, size, meetings)
        rng = Random(seed)
        sets = list(combinations(range(agents), size))
        rng.shuffle(sets)
        effort = Effort(MOST_LOOKED_AT)
        chosen = search_balanced(rng, sets, [0] * agents, size * meetings // agents, meetings, effort)
        if chosen is not None:
            return tuple(chosen)
        if effort.spent:
            return least_used_participants(Random(seed), agents, size, meetings)
    rng = Random(seed)
    return tuple(tuple(sorted(rng.sample(range(agents), size))) for _ in range(meetings))


class Effort:
    """How much a search may still look at."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, much: int) -> bool:
        """Whether there was so much left; it is gone then."""
        self.left -= much
        return not self.spent

    @property
    def spent(self) -> bool:
        """Whether more was asked for than there was."""
        return self.left < 0


def least_used_participants(rng: Random, agents: int, size: int, meetings: int) -> tuple[tuple[int, ...], ...]:
    """The participants of each meeting, ascending: those who have taken part least often so far, by lot of equals."""
    counts, chosen = [0] * agents, []
    for _ in range(meetings):
        lots = sorted(range(agents), key=lambda a: (counts[a], rng.random()))
        chosen.append(tuple(sorted(lots[:size])))
        for agent in chosen[-1]:
            counts[agent] += 1
    return tuple(chosen)


def search_balanced(
    rng: Random, sets: Sequence[tuple[int, ...]], counts: list[int], target: int, left: int, effort: Effort
) -> list[tuple[int, ...]] | None:
    """`left` sets after which every agent stands at `target`, found depth first; None without any, or any effort."""
    if left == 0:
        return []
    if not effort.spend(len(sets)):
        return None
    open_sets = [s for s in sets if all(counts[a] < target for a in s)]
    for members in sorted(open_sets, key=lambda s: (sum(counts[a] for a in s), rng.random())):
        for agent in members:
            counts[agent] += 1
        rest = search_balanced(rng, sets, counts, target, left - 1, effort)
        if rest is not None:
            return [members, *rest]
        for agent in members:
            counts[agent] -= 1
        if effort.spent:
            return None
    return None


def draw_speaker_orders(seed: int, agents: int, lists: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Each meeting's speaker order: a first speaker, balanced over the agents, then the others ascending."""
    share, rest = divmod(len(lists), agents)
    firsts = None
    if rest == 0 and all(sum(a in members for members in lists) >= share for a in range(agents)):
        rng = Random(seed)
        shuffled = [sorted(members) for members in lists]
        for members in shuffled:
            rng.shuffle(members)
        firsts = search_first_speakers(rng, shuffled, [0] * agents, share, 0, Effort(MOST_LOOKED_AT))
    firsts = firsts or least_used_first_speakers(Random(seed), agents, lists)
    return [(first, *sorted(set(m) - {first})) for first, m in zip(firsts, lists, strict=True)]


def search_first_speakers(
    rng: Random, shuffled: Sequence[Sequence[int]], counts: list[int], share: int, meeting: int, effort: Effort
) -> list[int] | None:
    """First speakers from `meeting` on, none above `share` times, depth first; None without any, or any effort."""
    if meeting == len(shuffled):
        return []
    if not effort.spend(len(shuffled[meeting])):
        return None
    for agent in sorted(shuffled[meeting], key=lambda a: (counts[a], rng.random())):
        if counts[agent] >= share:
            continue
        counts[agent] += 1
        rest = search_first_speakers(rng, shuffled, counts, share, meeting + 1, effort)
        if rest is not None:
            return [agent, *rest]
        counts[agent] -= 1
        if effort.spent:
            return None
    return None


def least_used_first_speakers(rng: Random, agents: int, lists: Sequence[Sequence[int]]) -> list[int]:
    """Meeting by meeting, a first speaker who has opened least often so far."""
    counts, firsts = [0] * agents, []
    for members in lists:
        shuffled = sorted(members)
        rng.shuffle(shuffled)
        first = min(shuffled, key=lambda a: (counts[a], rng.random()))
        counts[first] += 1
        firsts.append(first)
    return firsts
