"""The study's numbers that agents play by, from params.yaml, and those of simulated speakers."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from msgspec import Meta, Struct

from machine.files import PROJECT

PARAMETERS = PROJECT / "params.yaml"


@cache
def study_parameters() -> dict[str, dict[str, Any]]:
    """Each section of params.yaml by its name, in the file's order; none where there is no such file."""
    import yaml

    if not PARAMETERS.exists():
        return {}
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return dict(yaml.load(PARAMETERS.read_text(encoding="utf-8"), Loader=loader))


def named_styles() -> dict[str, dict[str, Any]]:
    """The parameters of each named style, in the order of params.yaml; none where there is no such file."""
    return study_parameters().get("styles") or {}


Share = Annotated[float, Meta(ge=0, le=1)]


class StyleParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a simulated speaker talks and acts. Shares and chances run from 0 to 1.

    What it says of itself:
    - cost_precision: share of costs put into figures; the rest is put into words.
    - cost_grading: share of those words that tell small costs from large; the rest says "tough" of either.
    - slots_offered: how many of its slots it names when it says where it stands.
    - errand_talk: share of costs in words that call an errand an errand.
    - errand_ids: chance to name an errand's id beside them.
    - label_disclosure: chance to name a private label beside a cost in words, unasked.
    - label_disclosure_probed: chance to name it when asked; twice that for a second question, and three times for more.

    How it deals with others:
    - pushback: chance to resist a proposal that costs it anything.
    - acquiescence: chance to accept at once a proposal that costs it much.
    - gossip: chance to relay what another agent said.
    - sociability: chance of each greeting, side message, courtesy and confirmation that nobody needs.
    - patience: how many times it asks, when it leads, before it proposes.

    What it does:
    - reliability: chance to write a meeting into the slot that was agreed.
    - unilateral: chance, a round, to treat earlier meetings as its own to move, without a word.
    - repair: chance, when it leads and all is costly, to ask an earlier meeting's participants to move it together.
    - truncation: chance that a reply is cut off before its actions.
    - held_out: share of messages written from the held-out phrase bank.
    """

    cost_precision: Share = 0.5
    cost_grading: Share = 0.5
    slots_offered: Annotated[int, Meta(ge=1)] = 5
    errand_talk: Share = 0.2
    errand_ids: Share = 0.0
    label_disclosure: Share = 0.0
    label_disclosure_probed: Share = 0.0
    pushback: Share = 0.2
    acquiescence: Share = 0.3
    gossip: Share = 0.3
    sociability: Share = 0.4
    patience: Annotated[int, Meta(ge=0)] = 1
    reliability: Share = 1.0
    unilateral: Share = 0.0
    repair: Share = 0.2
    truncation: Share = 0.0
    held_out: Share = 0.3
