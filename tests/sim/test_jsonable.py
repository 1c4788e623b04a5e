"""Whatever an agent answers can be recorded."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.game.trace import to_jsonable

NESTED: list[Any] = []
for _ in range(100_000):
    NESTED = [NESTED]

KNOT: list[Any] = []
KNOT += [KNOT, KNOT]

EXAMPLES: list[tuple[Any, Any]] = [
    ({"slot": True, "to": None}, {"slot": True, "to": None}),
    ({1: (2, 3)}, {"1": [2, 3]}),
    ("\ud83d!", "\\ud83d!"),
    (float("nan"), "nan"),
    (2**80, str(2**80)),
    (b"bytes", "b'bytes'"),
    ({"s": {1}}, {"s": "{1}"}),
]


@pytest.mark.parametrize(("value", "expected"), EXAMPLES)
def test_a_value_is_kept_or_shown(value: Any, expected: Any) -> None:
    assert to_jsonable(value) == expected


@pytest.mark.parametrize("value", [NESTED, 10**10_000, {"k": [{"k": NESTED}]}], ids=["deep", "huge", "deep inside"])
def test_what_json_cannot_hold_is_shown_in_short(value: Any) -> None:
    assert len(json.dumps(to_jsonable(value))) < 1000


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.characters() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers() | st.none(), inner),
    max_leaves=20,
)


@given(anything)
def test_any_value_becomes_json(value: Any) -> None:
    json.loads(msgspec.json.encode(to_jsonable(value)))


def test_a_list_that_holds_itself_comes_to_an_end() -> None:
    assert len(msgspec.json.encode(to_jsonable(KNOT))) < 10_000_000


def test_an_address_in_memory_is_left_out() -> None:
    assert to_jsonable(object()) == "<object object>"
