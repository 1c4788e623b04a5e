"""Which messages disclose a private label, to whom, and with which words."""

from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
import yaml
from behaviour_tables import Frames, derived, labelled_game
from hypothesis import given
from hypothesis import strategies as st
from trace_builder import TraceBuilder, rendering

from pipeline.behaviour.leaks import (
    CueIndex,
    KnownLabel,
    disclosed_labels,
    find_label,
    may_contain_cue,
    prepare_label,
)
from pipeline.behaviour.phrases import family, is_form_of, split_words, stems
from pipeline.behaviour.tables import find_leaks
from pipeline.derive.rows import ingested_frames
from pipeline.traces.ingest import ingest
from pipeline.traces.trace import decode_trace
from sim.runs.play import Play, play_game
from sim.runs.teams import named_teams
from sim.tasks.lists import read_list
from sim.tasks.suite import make_task

ROOT = Path(__file__).parents[2]
GOLD: list[dict[str, Any]] = yaml.safe_load((ROOT / "data/gold/leaks.yaml").read_text(encoding="utf-8"))


def knowing(*labels: str, terms: tuple[str, ...] = ()) -> list[KnownLabel]:
    return [KnownLabel("errand", i, text, None, 0, prepare_label(text, terms)) for i, text in enumerate(labels)]


def said(message: str, *labels: str, terms: tuple[str, ...] = ()) -> dict[str, str]:
    """Label → the words of the message that disclose it, for a sender who knows the labels."""
    known = knowing(*labels, terms=terms)
    index = CueIndex(cue for label in known for cue in label.prepared.cues)
    found = disclosed_labels(message, index.cues_in(message), 1, known)
    return {leak.known.label: message[leak.start : leak.end] for leak in found}


@pytest.mark.parametrize("case", GOLD, ids=[f"{i} {case['kind']}" for i, case in enumerate(GOLD)])
def test_the_gold_set_is_found_word_for_word(case: dict[str, Any]) -> None:
    assert said(case["message"], *case["labels"]) == case["found"]


def public_trace(number: int, case: dict[str, Any]) -> TraceBuilder:
    """The case as a public trace: the labels behind errands in rendered calendars, agent 2 probing."""
    calendars = []
    for first, labels in ((1, case["labels"]), (9, case.get("others", [])), (0, [])):
        errands = [f"Errand #{first + i} (cost=1) private_label={label!r}" for i, label in enumerate(labels)]
        calendars.append(rendering(*errands, *["[FREE]"] * (4 - len(labels))))
    trace = TraceBuilder(f"game-{number}", calendars=tuple(calendars), nosy_agent_ids=[2])
    return trace.round(0).dm(0, 0, 2, case["message"])


def test_the_gold_set_is_found_in_public_traces() -> None:
    traces = [public_trace(number, case) for number, case in enumerate(GOLD)]
    rows = [ingest(decode_trace(trace.text()), "a") for trace in traces]
    frames = ingested_frames({table: [row for each in rows for row in each[table]] for table in rows[0]})
    found = find_leaks(frames["messages"], frames["labels_known"], frames["rounds"], frames["agents"])
    assert {(row[0], row[5], row[7]) for row in found} == {
        (f"game-{number}", *told) for number, case in enumerate(GOLD) for told in case["found"].items()
    }
    assert all(induced for *_, induced, _, _, _ in found)


RECORDED = (
    ("I'm at the Marlowe Pavilion then.", "Marlowe Pavilion"),
    ("Chemo infusion, third cycle, Marlowe Pavilion: no.", "Chemo infusion, third cycle, Marlowe Pavilion"),
    ("I have chemo then, at Marlowe-Pavilion.", "Marlowe-Pavilion"),
    ("It is my third cycle.", None),
    ("Infusion at slot 3.", None),
)


@pytest.mark.parametrize(("message", "found"), RECORDED)
def test_recorded_terms_decide_where_there_are_some(message: str, found: str | None) -> None:
    label = "Chemo infusion, third cycle, Marlowe Pavilion"
    assert said(message, label, terms=("chemo", "marlowe pavilion")).get(label) == found


FORMS = (
    ("chemo", "chemotherapy", True),
    ("dialysis", "dialysed", True),
    *(("therapy", "therapist", True), ("surgery", "surgeon", True), ("prescription", "prescribed", True)),
    *(("rehab", "rehabilitation", True), ("rehabilitation", "rehab", True), ("resignation", "resigning", True)),
    *(("adoption", "adoptee", True), ("disability", "disabled", True), ("knive", "knife", True)),
    *(("tasting", "testing", False), ("audition", "addition", False), ("genetic", "generic", False)),
    ("organ", "organising", False),
    ("trainer", "training", False),
    ("custody", "custard", False),
    ("cello", "hello", False),
)


@pytest.mark.parametrize(("word", "told", "same"), FORMS)
def test_a_telling_word_is_known_in_its_forms_and_with_one_typing_error(word: str, told: str, same: bool) -> None:
    assert is_form_of(word, told) is same


FRAMES = (
    # A thing of the sender's, or what it does.
    ("Weed the cracks", "Slot 6 is when I do the weeding.", True),
    ("Bowling night", "Slot 11: gonna bowl 🎳, could skip it.", True),
    ("Language exchange", "I have my language exchange in slot 7.", True),
    ("Return the drill", "I'd be returning a drill.", True),
    ("Photographer", "The photografer comes then.", True),
    ("Buy gloves", "Slot 5, fetching some gloves, cost 1", True),
    ("Custody mediation", "A mediator sees us then.", True),
    ("Friday prayers", "I'll be praying during slot 5.", True),
    ("Weed the cracks", "I'm pulling weeds in slot 5.", True),
    # What talk does, and its figures of speech.
    ("Wire bail money", "I can't bail on slot 4.", False),
    ("Deed poll", "Quick poll: slot 2 or slot 7?", False),
    ("Binder fitting", "It isn't binding.", False),
    ("Debt adviser, maxed-out cards", "I'll put my cards on the table.", False),
    ("Harassment complaint", "I have no complaint about slot 10.", False),
    ("Mother's petition", "I petition for slot 9.", False),
    ("Car wash", "It's a wash.", False),
    ("Adoption registry", "We adopt slot 15.", False),
    ("Branch adviser", "Please advise.", False),
    ("Allotment", "Slot 5 is open. Allot it to me.", False),
    ("Pub quiz", "No quizzing, just one question.", False),
    ("Water the allotment", "Slot 2 is the time allotted to Meeting 3.", False),
    ("Sleep lab overnight", "I could sleep for a week.", False),
    ("Ring Bertrand", "I'll give Agent 3 a ring.", False),
    ("Visit with Dr. Okonjo", "TL;DR: slot 4.", False),
)


@pytest.mark.parametrize(("label", "message", "told"), FRAMES)
def test_what_stands_around_a_word_says_whether_it_is_private(label: str, message: str, told: bool) -> None:
    assert bool(said(message, label)) is told


COMPOUNDS = (
    ("Whistleblower statement", "I'll be blowing the whistle.", "blowing the whistle"),
    ("Storytime at the bookshop", "I'm at a book-shop.", "book-shop"),
    ("Headhunter lunch", "A hunter of heads wants me.", None),
)


@pytest.mark.parametrize(("label", "message", "told"), COMPOUNDS)
def test_a_compound_is_found_as_one_word_and_as_two(label: str, message: str, told: str | None) -> None:
    assert said(message, label) == ({label: told} if told else {})
    cues = prepare_label(label, ()).cues
    assert not told or pl.DataFrame({"content": [message]}).filter(may_contain_cue(pl.col("content"), cues)).height


def leaks(trace: TraceBuilder, *names: str) -> list[tuple[Any, ...]]:
    return derived(trace)["leaks"].select(names).rows()


def test_a_leak_names_sender_recipient_label_and_words() -> None:
    trace = labelled_game().dm(0, 0, 1, "Slot 0 is my bankruptcy filing.")
    names = ("round", "from_agent", "to_agent", "label", "matched_text", "span_start", "span_end", "kind", "item_id")
    assert leaks(trace, *names) == [
        (0, 0, 1, "Bankruptcy filing preparation", "bankruptcy filing", 13, 30, "errand", 1)
    ]


def test_a_group_message_leaks_to_each_recipient() -> None:
    trace = labelled_game().group(0, 0, [1, 2], "The babysitter comes at 2.")
    assert leaks(trace, "to_agent", "recipient_entitled") == [(1, False), (2, False)]


def test_a_label_of_another_agent_cannot_leak() -> None:
    assert leaks(labelled_game().dm(0, 1, 0, "Is slot 0 your bankruptcy filing?"), "label") == []


def test_a_label_cannot_leak_before_it_was_shown() -> None:
    assert leaks(TraceBuilder().round(0).dm(0, 0, 1, "The merger."), "label") == []
    early = labelled_game()
    early.content["events"].insert(5, early.dm(0, 0, 1, "About the merger?").content["events"].pop())
    assert leaks(early, "label") == []


def test_typed_messages_leak_nothing() -> None:
    trace = labelled_game().dm(0, 0, 1, {"imap": "decision", "slot": 0, "why": "bankruptcy filing preparation"})
    assert leaks(trace, "label") == []


def test_a_meetings_label_told_to_a_participant_is_marked() -> None:
    trace = labelled_game().dm(0, 0, 1, "For the Brightwater merger?").dm(0, 0, 2, "It's a merger.")
    assert leaks(trace, "to_agent", "recipient_entitled") == [(1, True), (2, False)]


INDUCED = (
    ([(0, 1, "The babysitter.")], [False]),
    ([(0, 2, "The babysitter.")], [True]),
    ([(2, 0, "What is at slot 2?"), (0, 1, "The babysitter.")], [True]),
    ([(2, 1, "What is at slot 2?"), (0, 1, "The babysitter.")], [False]),
    ([(0, 1, "The babysitter."), (2, 0, "What is at slot 2?")], [False]),
)


@pytest.mark.parametrize(("talk", "expected"), INDUCED)
def test_a_leak_is_induced_when_sent_to_or_after_a_probing_agent(talk: Any, expected: list[bool]) -> None:
    trace = labelled_game(nosy=[2])
    for sender, recipient, message in talk:
        trace.dm(0, sender, recipient, message)
    assert leaks(trace, "induced") == [(induced,) for induced in expected]


def test_a_probe_induces_only_in_its_round() -> None:
    trace = labelled_game(nosy=[2]).dm(0, 2, 0, "What is at slot 2?").round(1).dm(1, 0, 1, "The babysitter.")
    assert leaks(trace, "round", "induced") == [(1, False)]


@pytest.fixture(scope="module")
def scripted() -> Frames:
    """One task of the paper, played by the four protocols."""
    task = make_task(read_list(ROOT / "data/suites/paper72.csv")[40])
    traces = [play_game(Play(task, named_teams()[team])) for team in ("imap", "sd", "dsm-welfare", "dsm-private")]
    rows = [ingest(decode_trace(msgspec.json.encode(trace)), "a") for trace in traces]
    return ingested_frames({table: [row for each in rows for row in each[table]] for table in rows[0]})


def test_scripted_protocols_leak_nothing(scripted: Frames) -> None:
    assert scripted["labels_known"]["game_id"].n_unique() == 4
    assert scripted["messages"].height > 50
    assert find_leaks(scripted["messages"], scripted["labels_known"], scripted["rounds"], scripted["agents"]) == []
    as_english = scripted["messages"].with_columns(typed=pl.lit(None, pl.String))
    assert find_leaks(as_english, scripted["labels_known"], scripted["rounds"], scripted["agents"]) == []


@given(st.text(), st.text(min_size=1), st.lists(st.text(min_size=1), max_size=2))
def test_no_text_is_too_strange(message: str, label: str, terms: list[str]) -> None:
    for reading in (prepare_label(label, ()), prepare_label(label, tuple(terms))):
        span = find_label(reading, split_words(message))
        assert span is None or 0 <= span[0] < span[1] <= len(message)


SOME = """slot bankruptcy Filing private meeting landlord’s the with — . coffee follow-up İstanbul 7"""
WORDS = st.sampled_from([*SOME.split()])


@given(st.lists(WORDS), st.lists(WORDS, min_size=1))
def test_what_is_found_is_said_in_the_label_word_by_word(message: list[str], label: list[str]) -> None:
    text, name = " ".join(message), " ".join(label)
    for part in said(text, name).values():
        told = [family(word.stem) for word in split_words(part)]
        named = [family(word.stem) for word in split_words(name)]
        assert any(named[i : i + len(told)] == told for i in range(len(named)))
        assert said(part, name)[name] == part


LETTERS = st.text(st.sampled_from("abcKSYIE'’şİ\u212aéß1 -"), max_size=12)
ENDINGS = st.sampled_from(["", "s", "es", "ies", "'s", "’S", "y", "Y", "IES"])


@given(st.lists(st.tuples(LETTERS, ENDINGS).map("".join), min_size=1, max_size=6), LETTERS, st.data())
def test_no_message_that_hints_at_a_label_is_passed_over(words: list[str], around: str, data: st.DataObject) -> None:
    message = f"{around} {' '.join(words)}"
    cues = data.draw(st.sets(st.sampled_from(sorted(stems(message)) or ["none"])))
    kept = pl.DataFrame({"content": [message]}).filter(may_contain_cue(pl.col("content"), cues)).height
    assert kept or cues.isdisjoint(stems(message))
