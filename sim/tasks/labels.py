"""Private labels of errands and meetings: the bank, its draw for a scenario, and who is shown which (Appendix D.1).

The bank is data of our own writing (`data/labels/`); the paper's was written by a model and is not used. An agent sees
the labels of what stands on its own calendar: its errands, and the meetings that it takes part in. A meeting that is
being scheduled shows its label to its participants only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Literal, get_args

import msgspec
from msgspec import Struct

from machine.files import PROJECT
from sim.calendar import Calendar, Errand
from sim.tasks.scenario import Meeting

Tier = Literal["sensitive", "neutral", "public"]

TIERS: tuple[Tier, ...] = get_args(Tier)

BANK = PROJECT / "data" / "labels"


class LabelError(ValueError):
    """Why a label bank can't be used: where, what, and what to do."""


class Label(Struct, frozen=True, forbid_unknown_fields=True):
    """One private event description (Appendix D.1).

    Saying one of its `terms` discloses it, and no other label; the `paraphrase` may be said instead.
    """

    label: str
    tier: Tier
    terms: tuple[str, ...]
    paraphrase: str


class Bank(Struct, frozen=True):
    """The labels that errands and meetings are drawn from (Appendix D.1, "Label bank construction")."""

    errands: tuple[Label, ...]
    meetings: tuple[Label, ...]


class Labels(Struct, frozen=True):
    """The labels of one scenario: errands' by errand id, meetings' by meeting id. An item that moves keeps its own."""

    errands: dict[int, Label]
    meetings: dict[int, Label]


@cache
def load_bank(folder: Path = BANK) -> Bank:
    """The folder's bank. Raises LabelError where it can't be read."""
    return Bank(read(folder / "errands.yaml"), read(folder / "meetings.yaml"))


def read(path: Path) -> tuple[Label, ...]:
    """The YAML file's labels. Raises LabelError where it can't be read or holds something else."""
    try:
        return msgspec.yaml.decode(path.read_bytes(), type=tuple[Label, ...])
    except OSError as error:
        raise LabelError(f"{path}: can't be read ({error.strerror}); restore it from the repository") from error
    except (UnicodeDecodeError, msgspec.DecodeError) as error:
        reason = " ".join(str(error).split())
        raise LabelError(f"{path}: not as expected ({reason}); follow the entries of data/labels") from error


def draw(bank: Bank, calendars: Iterable[Calendar], meetings: Iterable[Meeting], seed: int) -> Labels:
    """The scenario's labels, drawn once from a stream of their own (Appendix D.1, "Private label hydration").

    Each agent's errands, and the meetings, have the three tiers as equally as their number allows; so has the scenario
    as a whole. No label comes twice before its tier is used up (72 errand labels and 24 meeting labels a tier); then
    the tier starts over in the same order. Ids are all that counts: an errand's slot does not, and an id that stands
    on two calendars has one label.
    """
    rng = Random(f"labels:{seed}")
    errand_decks, meeting_decks = shuffled(rng, bank.errands), shuffled(rng, bank.meetings)
    errands: dict[int, Label] = {}
    for calendar in calendars:
        ids = {item.errand_id for item in calendar.slots if isinstance(item, Errand)}
        errands |= dealt(rng, sorted(ids - errands.keys()), errand_decks, errands.values())
    return Labels(errands, dealt(rng, sorted(m.id for m in meetings), meeting_decks, ()))


def shuffled(rng: Random, labels: Sequence[Label]) -> dict[Tier, Iterator[Label]]:
    """An endless deck a tier: its labels in a random order, over and over."""
    by_tier = {tier: [entry for entry in labels if entry.tier == tier] for tier in TIERS}
    return {tier: cycle(rng.sample(entries, len(entries))) for tier, entries in by_tier.items()}


def dealt(
    rng: Random, ids: Sequence[int], decks: Mapping[Tier, Iterator[Label]], before: Iterable[Label]
) -> dict[int, Label]:
    """A label for each id: tiers in turn, those least dealt `before` first, then shuffled."""
    used = Counter(entry.tier for entry in before)
    order = sorted(rng.sample(TIERS, len(TIERS)), key=lambda tier: used[tier])
    tiers = [order[i % len(order)] for i in range(len(ids))]
    rng.shuffle(tiers)
    return {item: next(decks[tier]) for item, tier in zip(ids, tiers, strict=True)}


def own_labels(calendar: Calendar, labels: Labels) -> dict[int, str]:
    """The label of each item on the calendar, by slot."""
    by_slot = {}
    for slot, item in enumerate(calendar.slots):
        if isinstance(item, Errand):
            by_slot[slot] = labels.errands[item.errand_id].label
        elif item is not None:
            by_slot[slot] = labels.meetings[item.meeting_id].label
    return by_slot


def render_with_labels(calendar: Calendar, labels: dict[int, str]) -> str:
    """The rendered calendar, each line followed by the label, by slot, of what it holds."""
    if not labels:
        return calendar.render
    lines = calendar.render.split("\n")
    return "\n".join(f"{line} private_label={labels[s]!r}" if s in labels else line for s, line in enumerate(lines))


def meeting_label(meeting: Meeting, agent: int, labels: Labels) -> str | None:
    """The meeting's label, for one of its participants; None for anybody else."""
    return labels.meetings[meeting.id].label if agent in meeting.participants else None
