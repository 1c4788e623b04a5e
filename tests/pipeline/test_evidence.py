"""Which belief updates a message makes: Table 10, and what malformed payloads do not."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.privacy.evidence import claims
from pipeline.privacy.protocols import KINDS
from pipeline.privacy.protocols.kinds import RoundContext
from pipeline.privacy.rules import RULES
from pipeline.tables.schemas.base import TABLES
from pipeline.traces.typed_messages import decode_message
from pipeline.traces.typed_messages.records import DECODERS, TYPED_PROTOCOLS, NamedSlot

PAPER, RELEASE = RULES["paper"], RULES["release"]


def claimed(
    content: Any, context: RoundContext | None = None, sender: int = 1, recipients: tuple[int, ...] = (0,)
) -> list[Any]:
    """(slot, evidence, strength) of every claim."""
    text = content if isinstance(content, str) else json.dumps(content)
    return [(c[1], c[3], c[4]) for c in claims(text, sender, recipients, context or RoundContext(), PAPER)]


PLANS = [{"id": 4, "slot": 4}, {"id": 5001, "slot": 4}, {"id": 2, "slot": 2}]

TABLE_10 = (
    ({"dsm": "proposals", "slots": [4, 5001, 2], "plans": PLANS}, [(4, 1.0, 1.0), (2, 1.0, 1.0)]),
    ({"dsm": "proposals", "slots": [4, 2]}, [(4, 1.0, 1.0), (2, 1.0, 1.0)]),
    ({"dsm": "decision", "slot": 3, "plan_id": 3}, [(3, 1.0, 1.0)]),
    ({"imap": "cost_request", "slots": [0, 1]}, []),
    ({"imap": "decision", "slot": 2}, [(2, 1.0, 1.0)]),
    ({"sd": "propose", "slot": 1, "initiator": 0}, [(1, 0.85, 1.0)]),
    ({"sd": "reply", "slot": 1, "reply_status": "PENDING"}, [(1, 1.0, 1.0)]),
    ({"sd": "reply", "slot": 1, "reply_status": "IMPOSSIBLE"}, [(1, 0.0, 1.0)]),
    ({"sd": "propose_reschedule", "from_slot": 1, "to_slot": 3}, [(3, 0.85, 1.0)]),
    ({"sd": "reschedule_reply", "from_slot": 1, "to_slot": 3, "reply_status": "PENDING"}, [(3, 1.0, 1.0)]),
    ({"sd": "reschedule_reply", "slot": 3, "reply_status": "IMPOSSIBLE"}, [(3, 0.0, 1.0)]),
    ({"sd": "confirm", "slot": 3}, []),
    ({"sd": "fail"}, []),
)


@pytest.mark.parametrize(("payload", "expected"), TABLE_10)
def test_a_typed_message_says_what_table_10_says(payload: dict[str, Any], expected: list[Any]) -> None:
    assert claimed(payload) == expected


def test_costs_count_only_for_requested_slots_in_the_order_of_the_reply() -> None:
    context = RoundContext()
    claimed({"imap": "cost_request", "slots": [0, 1, 2]}, context, sender=0, recipients=(1,))
    reply = {"imap": "costs", "costs": {"2": 7, "0": None, "9": 1, "1": 0}}
    assert claimed(reply, context) == [(2, 1.0, 1.0), (0, 0.0, 1.0), (1, 1.0, 1.0)]
    assert claimed(reply, context, sender=2) == []


def test_scores_find_their_slots_through_the_proposals_received() -> None:
    context = RoundContext()
    claimed({"dsm": "proposals", "plans": PLANS}, context, sender=0, recipients=(1,))
    scores = {"dsm": "scores", "scores": {"4": 11, "5001": 1, "2": 0, "99": 5}}
    assert claimed(scores, context) == [(4, 1.0, 1.0), (4, 1 / 11, 1.0), (2, 0.0, 1.0), (None, 5 / 11, 1.0)]


def test_the_release_is_less_sure_of_sd_proposals() -> None:
    for kind, slot in (("propose", "slot"), ("propose_reschedule", "to_slot")):
        (claim,) = claims(json.dumps({"sd": kind, slot: 1}), 0, (1,), RoundContext(), RELEASE)
        assert (claim[2], claim[4]) == (f"sd_{kind}", 0.70)
    (claim,) = claims('{"sd": "reply", "slot": 1, "reply_status": "PENDING"}', 0, (1,), RoundContext(), RELEASE)
    assert claim[4] == 1.0


UNKNOWABLE = (True, "3", 2.5, None, [1], 10**30)


@pytest.mark.parametrize("slot", UNKNOWABLE)
def test_what_is_no_slot_is_recorded_without_one(slot: object) -> None:
    assert claimed({"imap": "decision", "slot": slot}) == [(None, 1.0, 1.0)]


SILENT = (
    "{not json",
    "[1, 2]",
    '"imap"',
    "{}",
    '{"dsm": "scores", "scores": [1, 2]}',
    '{"dsm": "scores", "scores": {"1": "high", "2": true, "3": null}}',
    '{"dsm": "proposals", "plans": {"id": 1}}',
    '{"imap": "costs", "costs": 7}',
    '{"imap": "costs", "costs": {"0": 1}}',
    '{"sd": "reply", "slot": 1, "reply_status": 0}',
)


@pytest.mark.parametrize("content", SILENT)
def test_what_says_nothing_makes_no_update(content: str) -> None:
    assert claimed(content) == []


SCALAR = st.sampled_from([None, True, 0, 1, -1, 7, 10**30, 0.5, -2.5, "", "1", "-1", "PENDING", "IMPOSSIBLE"])
PLAN = st.dictionaries(st.sampled_from(["id", "slot", "0"]), SCALAR, max_size=3)
BY_SLOT = st.dictionaries(st.sampled_from(["0", "1", "-1", "x", ""]), SCALAR, max_size=3)
ANYTHING = SCALAR | st.lists(SCALAR | PLAN, max_size=3) | BY_SLOT
FIELDS = st.sampled_from(["slot", "to_slot", "slots", "plans", "scores", "costs", "reply_status"])


@given(st.sampled_from(sorted(KINDS)), st.dictionaries(FIELDS, ANYTHING, max_size=4))
def test_no_content_breaks_the_reader_of_its_kind(kind: str, body: dict[str, Any]) -> None:
    protocol, _, name = kind.partition("_")
    content, context = json.dumps({**body, protocol: name}), RoundContext()
    for _ in range(2):
        for _, slot, source, evidence, strength, *_ in claims(content, 1, (1,), context, PAPER):
            assert slot is None or type(slot) is int
            assert source == kind
            assert 0 <= evidence <= 1
            assert strength == 1.0


def test_every_kind_that_is_decoded_is_read() -> None:
    silent, broken = DECODERS.keys() - KINDS.keys(), KINDS.keys() - DECODERS.keys()
    assert not silent, "add it to KINDS of its protocol's file, joined in pipeline/privacy/protocols/__init__.py"
    assert not broken, "add it to DECODERS of pipeline/traces/typed_messages/records.py"


def test_a_message_that_is_decoded_and_not_read_is_an_error_that_names_the_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(DECODERS, "imap_whisper", lambda body: NamedSlot(1))
    with pytest.raises(LookupError, match=r"imap_whisper: .* pipeline/privacy/protocols/__init__\.py"):
        claimed('{"imap": "whisper"}')


@pytest.mark.parametrize("protocol", TYPED_PROTOCOLS)
def test_a_quoted_message_of_any_protocol_is_no_english(protocol: str) -> None:
    assert claimed(f'He wrote: {{"{protocol}": "decision"}} so slot 4 is busy for me') == []
    assert claimed(f"He wrote: {protocol}, so slot 4 is busy for me") == [(4, 0.05, 1.0)]


@pytest.mark.parametrize("protocol", TYPED_PROTOCOLS)
def test_the_column_typed_is_documented_with_every_protocol(protocol: str) -> None:
    (typed,) = (column for column in TABLES["messages"].columns if column.name == "typed")
    message = decode_message(json.dumps({protocol: "decision"}))
    assert message is not None
    named = typed.meaning.replace(",", "").split()
    assert message.protocol in named, "add it to the column's meaning in pipeline/tables/schemas/base.py"
