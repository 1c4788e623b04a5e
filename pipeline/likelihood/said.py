"""A typed message to what it says of whose slots: nothing for English, or for a kind that has no handler.

The same said of a slot twice tells nothing new. `DRAWN_ANEW` holds the kinds of which that is not so: their senders add
noise of their own to each answer, or other agents' costs, so that what they say in another round is another draw.
"""

from collections.abc import Sequence

from pipeline.likelihood.frontier import FRONTIER
from pipeline.likelihood.joint import JOINT, SaidOf
from pipeline.likelihood.kinds import LIKELIHOODS
from pipeline.likelihood.states import States
from pipeline.payloads import read_payload
from pipeline.typed import Heard, Letter

HANDLERS = LIKELIHOODS | FRONTIER
DRAWN_ANEW: frozenset[tuple[str, str]] = frozenset({("imap", "noisy"), *JOINT})


def said(
    content: str, sender: int, recipients: Sequence[int], heard: Heard, states: States
) -> tuple[list[SaidOf], bool]:
    """[(target, slot, likelihood), …] of a message, in its order, and whether its kind is drawn anew.

    `heard` is its round's, and a round's letters come in their order.
    """
    payload = read_payload(content)
    if payload is None:
        return [], False
    kind, letter = (payload.protocol, payload.kind or ""), Letter(payload.body, sender, recipients, heard)
    if kind in JOINT:
        return JOINT[kind](letter, states), True
    own = HANDLERS[kind](letter, states) if kind in HANDLERS else []
    return [(sender, slot, likelihood) for slot, likelihood in own], kind in DRAWN_ANEW
