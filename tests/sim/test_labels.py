"""The label bank keeps its own rules, and a draw from it is balanced, stable and nobody else's business."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.calendar import Calendar, Errand, Item, ScheduledMeeting
from sim.tasks.labels import BANK, TIERS, Label, LabelError, draw, load_bank
from tests.sim.worlds import calendars_of, meetings_of

BANK_LABELS = load_bank()
EVERY = (*BANK_LABELS.errands, *BANK_LABELS.meetings)
TERMS = {term: entry for entry in EVERY for term in entry.terms}
WORDS = frozenset(msgspec.yaml.decode((BANK / "scheduling_words.yaml").read_bytes(), type=list[str]))

NEGOTIATION = (
    "Hi Agent 2, are you free at slot 4 for Meeting M3?",
    "I'm completely free at slots 1, 5, 8 and 14; everything else is taken.",
    "Agent 0 told me that slot 12 is busy for them.",
    "Confirmed: slot 6 for Meeting M2. Thanks, everyone!",
    "My calendar is pretty tight: only three open slots are left.",
    "Do you prefer 3 or 10? Both have a similar impact on my side.",
    "Let me check with Agent 3 and get back to you before we decide.",
    "Great, that suits me; I'll plan on slot 15 then.",
    "I'm tied up during the morning block but open after slot 10.",
    "Sorry for the back and forth, I misread my own calendar.",
    "I have some personal business at slot 5 that I would like to keep private.",
)


def says(term: str, text: str) -> bool:
    """Whether the text contains the term as whole words."""
    return re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text.lower()) is not None


def spread(labels: dict[int, Label], ids: set[int] | None = None) -> int:
    """How many more labels the commonest tier has than the rarest, among the ids."""
    counts = Counter(entry.tier for item, entry in labels.items() if ids is None or item in ids)
    return max(counts[tier] for tier in TIERS) - min(counts[tier] for tier in TIERS)


@pytest.mark.parametrize("tier", TIERS)
def test_each_tier_has_at_least_seventy_errands(tier: str) -> None:
    assert sum(entry.tier == tier for entry in BANK_LABELS.errands) >= 70


def test_there_are_at_least_seventy_meetings_spread_over_the_tiers() -> None:
    tiers = Counter(entry.tier for entry in BANK_LABELS.meetings)
    assert tiers.total() >= 70
    assert set(tiers.values()) == {tiers.total() // 3}


def test_labels_differ_and_are_of_four_to_ten_words() -> None:
    assert len({entry.label for entry in EVERY}) == len(EVERY)
    assert [entry.label for entry in EVERY if not 4 <= len(entry.label.split()) <= 10] == []


def test_each_label_has_one_to_four_terms_that_stand_in_it_as_whole_words() -> None:
    assert all(1 <= len(entry.terms) <= 4 for entry in EVERY)
    assert [term for term, entry in TERMS.items() if not says(term, entry.label)] == []


def test_a_term_points_at_one_label_of_all_errands_and_meetings() -> None:
    assert sum(len(entry.terms) for entry in EVERY) == len(TERMS)
    also = [(t, o.label) for t, entry in TERMS.items() for o in EVERY if o is not entry and t in o.label.lower()]
    assert also == []


def test_no_term_is_a_scheduling_word_or_made_of_them_or_part_of_one() -> None:
    assert [term for term in TERMS if WORDS.issuperset(re.split(r"[ -]", term))] == []
    assert [(term, word) for term in TERMS for word in WORDS if term in word] == []


def test_no_paraphrase_says_a_term_or_the_word_errand() -> None:
    paraphrases = {entry.paraphrase for entry in EVERY}
    assert [(term, p) for term in TERMS for p in paraphrases if says(term, p)] == []
    assert [p for p in paraphrases if "errand" in p or re.search(r"\d", p)] == []


@pytest.mark.parametrize("labels", [BANK_LABELS.errands, BANK_LABELS.meetings], ids=["errands", "meetings"])
def test_paraphrases_are_varied_and_give_no_tier_away(labels: tuple[Label, ...]) -> None:
    by_tier = [Counter(entry.paraphrase for entry in labels if entry.tier == tier) for tier in TIERS]
    assert by_tier[0] == by_tier[1] == by_tier[2]
    assert len(by_tier[0]) >= 24


@pytest.mark.parametrize("sentence", NEGOTIATION)
def test_ordinary_negotiation_contains_no_term_even_inside_a_word(sentence: str) -> None:
    assert [term for term in TERMS if term in sentence.lower()] == []


@given(st.lists(st.integers(0, 16), min_size=1, max_size=5), st.integers(0, 8), st.integers())
def test_a_draw_labels_every_item_once_with_tiers_balanced_per_agent(
    counts: list[int], meetings: int, seed: int
) -> None:
    calendars = calendars_of(*counts)
    labels = draw(BANK_LABELS, calendars, meetings_of(meetings), seed)
    owned = [{item.errand_id for item in c.slots if isinstance(item, Errand)} for c in calendars]
    assert labels.errands.keys() == set().union(*owned)
    assert labels.meetings.keys() == set(range(1, meetings + 1))
    assert all(spread(labels.errands, ids) <= 1 for ids in owned)
    assert spread(labels.errands) <= 1
    assert spread(labels.meetings) <= 1
    assert len(set(labels.errands.values())) == len(labels.errands)
    assert len(set(labels.meetings.values())) == len(labels.meetings)
    assert set(labels.errands.values()) <= set(BANK_LABELS.errands)
    assert set(labels.meetings.values()) <= set(BANK_LABELS.meetings)


@given(st.integers(), st.randoms(use_true_random=False))
def test_a_label_belongs_to_the_id_wherever_the_errand_stands(seed: int, rng: random.Random) -> None:
    calendars = calendars_of(5, 9)
    meeting = ScheduledMeeting(1, 1, (0, 1))
    moved = []
    for calendar in calendars:
        slots: list[Item | None] = [*calendar.slots, None, meeting]
        rng.shuffle(slots)
        moved.append(Calendar(slots))
    assert draw(BANK_LABELS, moved, meetings_of(3), seed) == draw(BANK_LABELS, calendars, meetings_of(3), seed)


@given(st.integers())
def test_the_same_seed_draws_the_same_labels_and_no_global_stream_is_touched(seed: int) -> None:
    state = random.getstate()
    first = draw(BANK_LABELS, calendars_of(8, 8), meetings_of(5), seed)
    assert random.getstate() == state
    assert draw(BANK_LABELS, calendars_of(8, 8), meetings_of(5), seed) == first


def test_labels_repeat_only_once_the_bank_is_used_up() -> None:
    size = len(BANK_LABELS.errands)
    exact = draw(BANK_LABELS, calendars_of(*[1] * size), [], 0).errands
    assert len(set(exact.values())) == size
    beyond = draw(BANK_LABELS, calendars_of(*[1] * (size + 30)), [], 0).errands
    assert set(Counter(beyond.values()).values()) == {1, 2}
    assert len(set(beyond.values())) == size


@pytest.mark.parametrize("content", [b"- label: [", b"label: x", b"", b"\xff\xfe\x00", b"- {label: x}", None])
def test_a_bank_that_cannot_be_read_is_named_in_one_line(tmp_path: Path, content: bytes | None) -> None:
    (tmp_path / "errands.yaml").write_bytes((BANK / "errands.yaml").read_bytes())
    if content is not None:
        (tmp_path / "meetings.yaml").write_bytes(content)
    with pytest.raises(LabelError, match=r"meetings\.yaml: (not as expected|can't be read) \([^\n]*$"):
        load_bank(tmp_path)
