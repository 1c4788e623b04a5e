"""k-bit IMAP: as IMAP, but a slot's cost is sent as one of 2^k codes of a stated grid.

The initiator adds up the grid's bounds in place of costs. With k = 0 an answer says nothing, and the initiator takes
what is cheapest for itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from sim.agents import Action, Request
from sim.agents.imap import CostRequest, Decision, Imap, local_cost
from sim.agents.scripted import dm
from sim.calendar import Calendar


class KBitParameters(Struct, frozen=True, kw_only=True):
    """`bits` a slot; `top` is the cost from which all count as one."""

    bits: int = 3
    top: int = 1000

    def __post_init__(self) -> None:
        if not 0 <= self.bits <= 8:
            raise ValueError(f"bits must lie between 0 and 8; got {self.bits}")
        if self.top < 1:
            raise ValueError(f"top must be at least 1; got {self.top}")


class Levels(Struct, tag_field="imap", tag="levels"):
    """The code of each requested slot: the first of the `bounds` that its cost does not exceed, null: impossible.

    What exceeds the last bound counts as the last. Without bounds a code says nothing.
    """

    meeting_id: int
    levels: dict[int, int | None]
    bounds: list[int]


def grid(bits: int, top: int) -> list[int]:
    """The bounds of 2^bits − 1 levels, from 0 to `top` in equal steps of log(1 + cost); one code says impossible.

    1 bit tells whether, 2 bits tell free from cheap from dear; 0 bits have no level at all.
    """
    levels = int(2**bits) - 1
    if levels < 2:
        return [top] * levels
    return [round((1 + top) ** (j / (levels - 1))) - 1 for j in range(levels)]


def level_of(cost: int, bounds: Sequence[int]) -> int:
    """The first bound that the cost does not exceed, or the last, by its place."""
    return next((j for j, bound in enumerate(bounds) if cost <= bound), len(bounds) - 1)


class KBitImap(Imap):
    """One participant of k-bit IMAP."""

    decoder = msgspec.json.Decoder(CostRequest | Levels | Decision)

    def __init__(self, parameters: KBitParameters = KBitParameters()) -> None:
        self.bounds = grid(parameters.bits, parameters.top)

    def talk(self, request: Request) -> list[Action]:
        answers = []
        for sender, payload in self.received(request):
            match payload:
                case CostRequest():
                    levels = {s: self.level(request.calendar, s) for s in payload.slots}
                    answers.append(dm(sender, request.meeting, Levels(request.meeting.id, levels, self.bounds)))
                case Levels():
                    self.replies[sender] = {s: self.price(code) for s, code in payload.levels.items()}
                case Decision():
                    self.agreed = payload.slot
        return answers + self.lead(request) if self.leads(request) else answers

    def level(self, calendar: Calendar, slot: int) -> int | None:
        """The code of the slot. With 0 bits there is but one."""
        cost = local_cost(calendar, slot)
        return 0 if not self.bounds else None if cost is None else level_of(cost, self.bounds)

    def price(self, code: int | None) -> int | None:
        """The bound that a code stands for; with 0 bits, nothing. A code that is none counts as impossible."""
        if not self.bounds:
            return 0
        return None if code is None or not 0 <= code < len(self.bounds) else self.bounds[code]

    def cost(self, calendar: Calendar, slot: int) -> int | None:
        """What the agent calls the cost of a slot: the grid's bound, its own figure where there is no grid."""
        return self.price(self.level(calendar, slot)) if self.bounds else local_cost(calendar, slot)
