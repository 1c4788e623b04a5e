"""What English messages claim: the gold sets, and the rules one by one."""

from collections.abc import Iterable, Set

import pytest

from pipeline.privacy.evidence import claims
from pipeline.privacy.language.messages import language_claims
from pipeline.privacy.protocols.kinds import RoundContext
from pipeline.privacy.rules import RULES, Claim, RuleSet
from tests.pipeline.gold import Example, found, gold

PAPER = RULES["paper"]
SENDER = 9


def read(message: str, sender: int = SENDER) -> list[Claim]:
    return language_claims(message, sender, PAPER)


def said(message: str, sender: int = SENDER) -> set[str]:
    """Claims as "target slot class"."""
    return {f"{target} {slot} {source.removeprefix('language_')}" for target, slot, source, *_ in read(message, sender)}


@pytest.mark.parametrize("example", gold("clauses"), ids=lambda example: example.message[:50])
def test_each_gold_message_claims_its_rows_and_no_others(example: Example) -> None:
    assert found(read(example.message, example.sender)) == example.rows


def test_the_gold_set_is_large_and_much_of_it_claims_nothing() -> None:
    examples = gold("clauses")
    assert len(examples) >= 220
    assert sum(not example.rows for example in examples) >= 50
    assert {row.said for example in examples for row in example.rows} == set(PAPER.language)


def rates(examples: Iterable[Example]) -> tuple[float, float]:
    """Precision and recall over (target, slot, class)."""
    right = told = true = 0
    for example in examples:
        got = {row[:3] for row in found(read(example.message, example.sender))}
        want = {row[:3] for row in example.rows}
        right, told, true = right + len(got & want), told + len(got), true + len(want)
    return right / told, right / true


WORDINGS = [
    ("second_wording", 200, (0.995, 0.984)),
    ("third_wording", 160, (0.986, 0.984)),
    ("fourth_wording", 100, (0.978, 0.956)),
]


@pytest.mark.parametrize(("name", "size", "expected"), WORDINGS)
def test_other_wordings_are_read_precisely_and_mostly(name: str, size: int, expected: tuple[float, float]) -> None:
    examples = gold(name)
    precision, recall = rates(examples)
    assert len(examples) >= size
    assert (round(precision, 3), round(recall, 3)) == expected


VALUES = (
    ("I have an errand at slot 3", ("language_occupied", 0.25, 0.50)),
    ("I'm busy at slot 3", ("language_negative", 0.05, 1.0)),
    ("I'm free at slot 3", ("language_positive", 0.95, 1.0)),
    ("Slot 3 is low cost for me", ("language_cost", 0.95, 0.35)),
    ("I propose slot 3", ("language_proposal", 0.95, 0.25)),
)


@pytest.mark.parametrize(("message", "values"), VALUES)
def test_each_class_has_the_evidence_and_strength_of_h3(message: str, values: tuple[str, float, float]) -> None:
    (claim,) = read(message)
    assert claim[2:5] == values


def test_epsilon_moves_the_ends_and_nothing_else() -> None:
    sure = RuleSet("sure", epsilon=0.0)
    for message, (source, evidence, strength) in VALUES:
        (claim,) = language_claims(message, 1, sure)
        assert claim[2:5] == (source, {0.05: 0.0, 0.95: 1.0}.get(evidence, evidence), strength)


PRIORITY = (
    ("Slot 3: errand blocked free low cost prefer", "occupied"),
    ("Slot 3: prefer low cost free blocked", "negative"),
    ("Slot 3: prefer low cost free", "positive"),
    ("Slot 3: prefer low cost", "cost"),
    ("Slot 3: prefer", "proposal"),
    ("Slot 3 works for me, I'd only have to move an errand", "occupied"),
)


@pytest.mark.parametrize(("message", "first"), PRIORITY)
def test_the_first_class_in_order_decides(message: str, first: str) -> None:
    assert said(message) == {f"9 3 {first}"}


def test_a_span_is_the_clause_in_the_message_as_it_was_written() -> None:
    message = "Hi 👋🏽 — **Slot 3** isn’t free… שלום; but I’m free at “slot 12”!\r\n\tAgent 2 can do 4\ud800"
    spans = {(claim[1], claim[5]) for claim in read(message)}
    assert spans == {(3, "Slot 3** isn’t free"), (12, "I’m free at “slot 12"), (4, "Agent 2 can do 4")}
    assert all(message[claim[6] : claim[7]] == claim[5] for claim in read(message))


def test_a_sender_that_names_itself_claims_of_itself_once() -> None:
    assert said("Agent 2 is free at 4", sender=2) == {"2 4 positive"}
    assert len(read("Agent 2 and I are free at 4", sender=2)) == 1


def test_a_claim_of_the_recipient_is_made_too() -> None:
    heard = claims("Agent 0 is free at slot 4", 1, (0, 2), RoundContext(), PAPER)
    assert [claim[:3] for claim in heard] == [(0, 4, "language_positive")]


def test_no_slot_of_a_clause_is_both_free_and_not() -> None:
    assert said("I'm free at 2-5 except 4") == {"9 2 positive", "9 3 positive", "9 5 positive", "9 4 negative"}
    assert said("I'm busy at 2-4 but not 3") == {"9 2 negative", "9 4 negative", "9 3 positive"}


NUMERALS: tuple[tuple[str, set[str]], ...] = (
    ("I'm free at Slots Eleven, twelve and fourteen.", {"9 11 positive", "9 12 positive", "9 14 positive"}),
    ("Agent two is busy at slots six to eight.", {"2 6 negative", "2 7 negative", "2 8 negative"}),
    ("I have three slots free and one errand.", set()),
)


@pytest.mark.parametrize(("message", "claimed"), NUMERALS)
def test_numbers_in_words_are_read_after_slot_and_agent_only(message: str, claimed: set[str]) -> None:
    assert said(message) == claimed
    assert all(message[claim[6] : claim[7]] == claim[5] for claim in read(message))


TICKS = (
    ("✅ 1, 4 ❌ 2", {"9 1 positive", "9 4 positive", "9 2 negative"}),
    ("❌ Slot 5: errand", {"9 5 occupied"}),
)


@pytest.mark.parametrize(("message", "claimed"), TICKS)
def test_a_tick_says_yes_where_no_word_says_more(message: str, claimed: set[str]) -> None:
    assert said(message) == claimed


REFERENCES: tuple[tuple[str, set[str]], ...] = (
    ("I asked Agent 2. They are free at slot 5.", {"2 5 positive"}),
    ("I spoke with Agents 2 and 3; both can do slot 5.", {"2 5 positive", "3 5 positive"}),
    ("What about slot 5? It works for me.", {"9 5 positive"}),
    ("I propose slot 5. It's free for Agent 2.", {"9 5 proposal", "2 5 positive"}),
    ("What about slots 2 or 6? Both are free for me.", {"9 2 positive", "9 6 positive"}),
    ("Slot 3. Slot 7. Slot 9. All three are open.", {"9 3 positive", "9 7 positive", "9 9 positive"}),
    ("Have you slot 5? Both are busy for me.", set()),
    (
        "Agent 1 is free at slot 4. I'm not. Agents 0 and 2 aren't either.",
        {"1 4 positive", "9 4 negative", "0 4 negative", "2 4 negative"},
    ),
    ("Agent 1 can't do slot 4. But I can.", {"1 4 negative", "9 4 positive"}),
    ("I propose slot 5. See you then!", {"9 5 proposal"}),
    ("The others wrote. They are free at slot 5.", set()),
)


@pytest.mark.parametrize(("message", "claimed"), REFERENCES)
def test_they_and_it_are_who_and_what_was_named_just_before(message: str, claimed: set[str]) -> None:
    assert said(message) == claimed
    assert all(message[claim[6] : claim[7]] == claim[5] for claim in read(message))


RANGES = (
    ("slots 2-5", {2, 3, 4, 5}),
    ("slots 2 through 5", {2, 3, 4, 5}),
    ("slots 5-2", {5, 2}),
    ("slots 1-100", {1, 100}),
    ("slots 1/2/11", {1, 2, 11}),
)


@pytest.mark.parametrize(("written", "slots"), RANGES)
def test_lists_and_ranges_name_each_of_their_slots(written: str, slots: set[int]) -> None:
    assert {claim[1] for claim in read(f"I'm free at {written}.")} == slots


@pytest.mark.parametrize("slots", [4, 16])
def test_a_game_s_messages_are_read_by_its_number_of_slots(slots: int) -> None:
    told = claims("I'm free from slot 2 on", 1, (0,), RoundContext(), PAPER, slots)
    assert [claim[1] for claim in told] == list(range(2, slots))


TYPED = (
    '{"dsm": "unknown", "note": "I am free at slot 3"}',
    'Sent: {"sd": "reply", "text": "slot 3 is free"}',
)


@pytest.mark.parametrize("content", TYPED)
def test_a_protocols_json_is_never_read_as_english(content: str) -> None:
    assert all(not claim[2].startswith("language") for claim in claims(content, 1, (0,), RoundContext(), PAPER))


ALL_16 = frozenset(range(16))


@pytest.mark.parametrize(
    ("message", "free", "not_free"),
    [
        ("I'm free after 11 except 13.", {12, 14, 15}, {13}),
        ("I'm open until slot 2.", {0, 1}, set()),
        ("Only slot 3 works for me.", {3}, ALL_16 - {3}),
        ("Of slots 2, 5 and 7 I can do all but 7.", {2, 5}, {7}),
        ("I have an errand after slot 5.", set(), set()),
        ("Out of 16 slots only 4 are empty for me.", set(), set()),
        ("Slot 12 works, everything up there works save for slot 15.", {12}, {15}),
        ("Agent 2 can do 4 and 7. Everything else is taken.", {4, 7}, set()),
        ("Of the slots you sent, 3 works. The rest is taken.", {3}, set()),
        ("busy: all except 2, 3", {2, 3}, ALL_16 - {2, 3}),
        ("I can do none but slot 12.", {12}, ALL_16 - {12}),
        ("free: 1, 5; rest is buzy", {1, 5}, ALL_16 - {1, 5}),
        ("I'm busy until 5. From then on I'm open.", ALL_16 - {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}),
        ("Before 4 works, after that I'm slammed until slot 9.", set(), set()),
        ("I can do slot 5, I'll confirm later. After that meeting I'm busy.", {5}, set()),
        ("I have 2 and 15 free. Nothing else in my day is empty.", {2, 15}, ALL_16 - {2, 15}),
        ("Nothing before slot 5.", set(), {0, 1, 2, 3, 4}),
        ("Anything from 12 up is fine. Before 3 I'm busy.", {12, 13, 14, 15}, {0, 1, 2}),
    ],
)
def test_the_rest_of_the_calendar_is_claimed_only_where_nothing_narrows_it(
    message: str, free: Set[int], not_free: Set[int]
) -> None:
    claims = language_claims(message, 1, PAPER, 16)
    assert {claim[1] for claim in claims if claim[2] == "language_positive"} == free
    assert {claim[1] for claim in claims if claim[2] == "language_negative"} == not_free


@pytest.mark.parametrize(
    ("message", "rows"),
    [
        ("From Agent 1: slot 8 is free. From Agent 2: slot 9 is free.", "1 8 positive, 2 9 positive"),
        ("Agent 3 said slot 3 is blocked for him, Agent 0 said slot 3 works.", "3 3 negative, 0 3 positive"),
        ("Forwarding from Agent 2:\n> Slot 13 is busy.\n> Slot 14 is open for me.", "2 13 negative, 2 14 positive"),
        ('Agent 2 said: "Slot 12 is free." Again: "Slot 6 is free."', "2 12 positive, 2 6 positive"),
        ("M3 @ s6 cfmd. Req. move: #9.", "1 6 proposal, 1 9 occupied"),
        ("slot 2 is gr8, Agent 0 says it's free 4 them", "1 2 positive, 0 2 positive"),
        ("Free | Busy\n1, 2 | 0", "1 1 positive, 1 2 positive, 1 0 negative"),
        ("F: 0,4 / E: 9 (F=free, E=errand)", "1 0 positive, 1 4 positive, 1 9 occupied"),
        ("Agent 2 won't move anything at slot 7.", "2 7 negative"),
        ("Agent 4 can't do slot 6, nor can I do slot 8.", "4 6 negative, 1 8 negative"),
        ("Agent 0 said slot 2 would be rather difficult, while slot 3 would be fine.", "0 3 positive"),
        ("I propose slot 4 for Meeting 1 and slot 9 for Meeting 2.", "1 4 proposal, 1 9 proposal"),
        ("Of slots 2, 4 and 6, only 4 is open for me.", "1 4 positive"),
        ("Slot 10: move needed. Slot 7: small errand that I can push for 2.", "1 10 occupied, 1 7 occupied"),
        ("Slots 8-10: free, save for slot 9, where I have an errand.", "1 8 positive, 1 10 positive, 1 9 occupied"),
        ("s3 F, s4 E\nF=free B=busy E=errand", "1 3 positive, 1 4 occupied"),
        ("| Slot | Agent 2 (host) |\n|---|---|\n| 3 | errand (5) |\n| 4 | free |", "2 3 occupied, 2 4 positive"),
        ("Open: 2, 7, 11 🌞 Errand at slot 12", "1 2 positive, 1 7 positive, 1 11 positive, 1 12 occupied"),
        ("A quick note from Agent 2: they have slot 6 free.", "2 6 positive"),
        ("Agent 0 answered: 'Slot 2 is free. Slot 5 needs me to reschedule.'", "0 2 positive, 0 5 occupied"),
        ("Slots: 4 | 5 | 6\nAgent 3: free | busy | errand", "3 4 positive, 3 5 negative, 3 6 occupied"),
        ("i woudl do slot 2 if asked, i coudl do slot 5", "1 5 positive"),
    ],
)
def test_sources_short_forms_and_what_is_put_aside_are_read(message: str, rows: str) -> None:
    claims = language_claims(message, 1, PAPER, 16)
    assert {f"{c[0]} {c[1]} {c[2].removeprefix('language_')}" for c in claims} == set(rows.split(", "))


@pytest.mark.parametrize(
    "message",
    [
        "It would be preferable for us not to schedule anything in slot 12.",
        "🟢🔴🟢 are the colours that I take for slots 4-6",
        "Agent order:\n2 | free\n3 | busy",
        '{"type": "request", "ask": "availability", "slots": [3, 5]}',
        "We need input from Agent 0 regarding slots 1 through 5. Please do confirm slot 10, Agent 4.",
    ],
)
def test_avoidance_counts_and_requests_in_data_claim_nothing(message: str) -> None:
    assert not language_claims(message, 1, PAPER, 16)
