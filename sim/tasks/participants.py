"""Who takes part in each meeting and who speaks first, drawn from a seed so that all have equal shares.

The order of the draws is part of the format (`sim.tasks.scenario`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from random import Random

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
