"""The label bank keeps its own rules, and a draw from it is balanced, stable and nobody else's business."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.calendar import Calendar, Errand, Item, Move, ScheduledMeeting, validate
from sim.tasks.labels import BANK, TIERS, Label, LabelError, Labels, draw, load_bank
from sim.tasks.scenario import Parameters, generate
from tests.sim.worlds import calendars_of, meetings_of

BANK_LABELS = load_bank()
EVERY = (*BANK_LABELS.errands, *BANK_LABELS.meetings)
TERMS = {term: entry for entry in EVERY for term in entry.terms}
WORDS = frozenset(msgspec.yaml.decode((BANK / "scheduling_words.yaml").read_bytes(), type=list[str]))

NEGOTIATION = (
    "Hi Agent 2, are you free at slot 4 for Meeting M3?",
    "Slot 4 works for me. Let's lock it in unless someone objects.",
    "I have a prior appointment at slot 9, but I can move it if needed.",
    "I'm completely free at slots 1, 5, 8 and 14; everything else is taken.",
    "Could you reschedule your errand at slot 7? It would cost me 100 to move mine.",
    "Slot 11 is expensive for me, so I'd rather avoid it.",
    "Agent 0 told me that slot 12 is busy for them.",
    "To keep the coordination simple, let's all take the earliest common slot.",
    "I can't share what that commitment is, only that moving it is costly.",
    "Confirmed: slot 6 for Meeting M2. Thanks, everyone!",
    "That slot conflicts with a meeting I already have with Agents 1 and 3.",
    "I archived the earlier proposal; here is an advisable alternative.",
    "My calendar is pretty tight: only three open slots are left.",
    "It is a trivial change for me, so I am happy to shift it.",
    "Neither option is ideal, but slot 2 has the lowest total penalty.",
    "Do you prefer 3 or 10? Both have a similar impact on my side.",
    "I would need to displace Meeting M1 first, which requires Agent 4's consent.",
    "No worries, I understand. What about any time in the afternoon?",
    "Let me check with Agent 3 and get back to you before we decide.",
    "I'm inclined to accept, insofar as it suits Agent 1 as well.",
    "My item there is high-priority and can't be moved at all.",
    "Great, that suits me; I'll plan on slot 15 then.",
    "We could swap: I move my item to 8 and you keep yours at 13.",
    "Please run through your available windows so that we can find an overlap.",
    "I'm tied up during the morning block but open after slot 10.",
    "Any permutation of those three meetings is fine as far as I'm concerned.",
    "The cheapest feasible schedule puts us at slot 0; will you confirm?",
    "Sorry for the back and forth, I misread my own calendar.",
    "For the sake of fairness, I'll bear the burden this round.",
    "We have a deadlock, so let's orchestrate this differently and appoint a coordinator.",
    "I have some personal business at slot 5 that I would like to keep private.",
    "My preferences are noted; a lattice of constraints leaves slot 14 only.",
    "It hinges on Agent 2, but I can say with conviction that 7 is my best option.",
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


def test_the_scheduling_words_are_many_lower_case_and_each_said_once() -> None:
    listed = msgspec.yaml.decode((BANK / "scheduling_words.yaml").read_bytes(), type=list[str])
    assert len(listed) == len(set(listed)) >= 120
    assert all(word == word.lower().strip() for word in listed)


def test_labels_differ_and_are_of_four_to_ten_words() -> None:
    assert len({entry.label for entry in EVERY}) == len(EVERY)
    assert [entry.label for entry in EVERY if not 4 <= len(entry.label.split()) <= 10] == []


def test_no_word_that_is_not_about_scheduling_stands_in_many_labels() -> None:
    found = Counter(w for entry in EVERY for w in set(re.findall(r"[\w'-]{4,}", entry.label.lower())) - WORDS)
    assert [(word, n) for word, n in found.most_common() if n > 5 and word != "about"] == []


def test_each_label_has_one_to_four_terms_that_stand_in_it_as_whole_words() -> None:
    assert all(1 <= len(entry.terms) <= 4 for entry in EVERY)
    assert [term for term, entry in TERMS.items() if not says(term, entry.label)] == []


def test_a_term_is_plain_lower_case_and_longer_than_an_abbreviation() -> None:
    assert [term for term in TERMS if not re.fullmatch(r"[a-z][a-z .-]{3,}", term)] == []


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


def test_a_rescheduled_errand_keeps_its_label() -> None:
    before = Calendar([Errand(1, 5), None, Errand(2, 1)])
    action = {"type": "reschedule", "item_id": 1, "from_slot": 0, "to_slot": 1}
    batch = validate(before, [action], None)
    assert batch.moves == (Move(1, 0, 1, 5),)
    assert draw(BANK_LABELS, [batch.calendar], [], 7) == draw(BANK_LABELS, [before], [], 7)


def test_a_blocked_errand_has_the_label_of_the_movable_one() -> None:
    movable, blocked = Calendar([Errand(1, 5), Errand(2, 1)]), Calendar([Errand(1, 5, True), Errand(2, 1)])
    assert draw(BANK_LABELS, [blocked], [], 7) == draw(BANK_LABELS, [movable], [], 7)


@given(st.integers())
def test_the_same_seed_draws_the_same_labels_and_no_global_stream_is_touched(seed: int) -> None:
    state = random.getstate()
    first = draw(BANK_LABELS, calendars_of(8, 8), meetings_of(5), seed)
    assert random.getstate() == state
    assert draw(BANK_LABELS, calendars_of(8, 8), meetings_of(5), seed) == first


def test_different_seeds_draw_different_labels() -> None:
    drawn = [draw(BANK_LABELS, calendars_of(8), meetings_of(5), seed) for seed in range(20)]
    assert len({labels.errands[1].label for labels in drawn}) > 10
    assert len({labels.meetings[1].label for labels in drawn}) > 10


def test_tiers_are_shuffled_over_an_agents_errands() -> None:
    drawn = [draw(BANK_LABELS, calendars_of(9), [], seed).errands for seed in range(20)]
    assert {labels[1].tier for labels in drawn} == set(TIERS)
    cyclic = [all(labels[i].tier == labels[i + 3].tier for i in range(1, 7)) for labels in drawn]
    assert sum(cyclic) < 5


def test_another_process_draws_the_same_labels() -> None:
    code = (
        "from sim.calendar import Calendar, Errand; from sim.tasks.labels import draw, load_bank; "
        "c = Calendar([Errand(i, 1) for i in range(1, 9)]); "
        "print([x.label for x in draw(load_bank(), [c], [], 11).errands.values()])"
    )
    here = draw(BANK_LABELS, calendars_of(8), [], 11)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=BANK.parents[1])
    assert run.stdout.strip() == str([entry.label for entry in here.errands.values()])


def test_a_generated_scenario_is_labelled_in_full() -> None:
    scenario = generate(Parameters(seed=3, num_agents=5, num_participants=3, density=0.5))
    labels = draw(BANK_LABELS, scenario.calendars, scenario.meetings, 3)
    ids = {item.errand_id for c in scenario.calendars for item in c.slots if isinstance(item, Errand)}
    assert labels.errands.keys() == ids
    assert labels.meetings.keys() == {m.id for m in scenario.meetings}


def test_labels_repeat_only_once_the_bank_is_used_up() -> None:
    size = len(BANK_LABELS.errands)
    exact = draw(BANK_LABELS, calendars_of(*[1] * size), [], 0).errands
    assert len(set(exact.values())) == size
    beyond = draw(BANK_LABELS, calendars_of(*[1] * (size + 30)), [], 0).errands
    assert set(Counter(beyond.values()).values()) == {1, 2}
    assert len(set(beyond.values())) == size


def test_an_id_on_two_calendars_has_one_label() -> None:
    calendar = Calendar([Errand(1, 1), Errand(2, 1)])
    assert draw(BANK_LABELS, [calendar, calendar], [], 0).errands.keys() == {1, 2}


def test_no_items_draw_no_labels() -> None:
    assert draw(BANK_LABELS, [Calendar([None, None])], [], 0) == Labels({}, {})


def test_labels_survive_a_trip_through_json() -> None:
    labels = draw(BANK_LABELS, calendars_of(4), meetings_of(2), 5)
    assert msgspec.json.decode(msgspec.json.encode(labels), type=Labels) == labels


@pytest.mark.parametrize("content", [b"- label: [", b"label: x", b"", b"\xff\xfe\x00", b"- {label: x}", None])
def test_a_bank_that_cannot_be_read_is_named_in_one_line(tmp_path: Path, content: bytes | None) -> None:
    (tmp_path / "errands.yaml").write_bytes((BANK / "errands.yaml").read_bytes())
    if content is not None:
        (tmp_path / "meetings.yaml").write_bytes(content)
    with pytest.raises(LabelError, match=r"meetings\.yaml: (not as expected|can't be read) \([^\n]*$"):
        load_bank(tmp_path)
