"""Secure-sum IMAP's arithmetic: which sum is it? Told by masks that cancel, and nothing else of the sum.

All is modulo a prime p. For a level t and a slot s the participants' values add up to ρ·(S − t), where S is the sum of
their costs and ρ is a random factor that is not 0: 0 where S = t, uniform over 1 … p − 1 where S is another. One who
can't take the slot sends a uniform value of its own, so that the sum is uniform, and 0 with probability 1 / p.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import combinations_with_replacement

MODULUS = 2**53 - 111  # the largest prime whose residues every reader of JSON keeps exactly


def totals(ladder: Sequence[int], participants: int) -> list[int]:
    """Every sum that the participants' costs can have, ascending."""
    return sorted({sum(costs) for costs in combinations_with_replacement(ladder, participants)})


def drawn(seed: str, *names: object) -> int:
    """A residue that those who know the seed agree on, and that looks uniform to all others."""
    text = "\x1f".join((seed, *map(str, names)))
    return int.from_bytes(sha256(text.encode()).digest()) % MODULUS


def factor(seed: str, level: int, slot: int) -> int:
    """ρ of the level and slot, from 1 to p − 1."""
    return 1 + drawn(seed, "factor", level, slot) % (MODULUS - 1)


def mask(seed: str, level: int, slot: int, agent: int, parties: Sequence[int]) -> int:
    """The agent's additive mask: those of all parties cancel. The first party's makes up for the others'."""
    if agent != parties[0]:
        return drawn(seed, "mask", level, slot, agent)
    return -sum(mask(seed, level, slot, other, parties) for other in parties[1:]) % MODULUS


def masked(seed: str, level: tuple[int, int], slot: int, cost: int, agent: int, parties: Sequence[int]) -> int:
    """What the agent sends of a slot's cost: ρ·cost + mask; the first party takes the total that is asked off its own.

    level: the number of the total, and the total.
    """
    number, total = level
    own = cost - total if agent == parties[0] else cost
    return (factor(seed, number, slot) * own + mask(seed, number, slot, agent, parties)) % MODULUS


def zeros(rows: Sequence[Sequence[int]]) -> list[int]:
    """The places where the parties' rows add up to 0."""
    return [place for place, values in enumerate(zip(*rows, strict=True)) if sum(values) % MODULUS == 0]
