"""How many schedules ask what of whom: counted without writing the schedules down.

Slot by slot, over the sets of meetings placed so far, as the oracle counts its optima; beside each set stand the
burdens that lead to it. A burden that no schedule within the bounds can come to any more is dropped.
"""

from collections import Counter
from collections.abc import Sequence

from pipeline.beyond.optima.problem import Burden, Problem, added
from pipeline.beyond.optima.schedules import TooManySchedules
from sim.tasks.oracle import compatible_groups

States = dict[int, Counter[Burden]]  # set of placed meetings, as a bit mask → burden → ways


def burdens(problem: Problem, most: int, limit: int, each: int | None = None) -> Counter[Burden]:
    """Burden → how many schedules of cost at most `most` have it; with `each`, those that ask no agent for more.

    Raises TooManySchedules where more than `limit` burdens would have to be kept.
    """
    meetings = len(problem.options)
    groups = compatible_groups(sorted(problem.clashes), meetings, limit)
    slots = sorted(set().union(*problem.options)) if problem.options else []
    bounds = most, most if each is None else each
    states: States = {0: Counter({(0,) * problem.agents: 1})}
    for slot in slots:
        states = placed(problem, states, slot, groups, bounds)
        if sum(map(len, states.values())) > limit:
            raise TooManySchedules(f"more than {limit} burdens have to be told apart up to a cost of {most}")
    return states.get(2**meetings - 1, Counter())


def placed(problem: Problem, states: States, slot: int, groups: Sequence[int], bounds: tuple[int, int]) -> States:
    """The states after one more slot, which takes one of the groups or stays empty."""
    most, each = bounds
    after = {done: Counter(ways) for done, ways in states.items()}
    choices = [(g, c) for g in groups if (c := group_burden(problem, g, slot)) is not None]
    for done, known in states.items():
        for group, cost in choices:
            if done & group:
                continue
            room = most - least_left(problem, done | group)
            target = after.setdefault(done | group, Counter())
            for paid, ways in known.items():
                total = added(paid, cost)
                if sum(total) <= room and max(total) <= each:
                    target[total] += ways
    return after


def group_burden(problem: Problem, group: int, slot: int) -> Burden | None:
    """What the meetings of the group together ask of each agent in the slot; None where one of them can't be there."""
    total: Burden = (0,) * problem.agents
    for meeting, option in enumerate(problem.options):
        if group >> meeting & 1:
            if slot not in option:
                return None
            total = added(total, option[slot])
    return total


def least_left(problem: Problem, done: int) -> int:
    """What the meetings that are not placed cost at least."""
    return sum(least for meeting, least in enumerate(problem.least) if not done >> meeting & 1)
