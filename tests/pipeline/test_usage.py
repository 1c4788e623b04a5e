"""What answers of models took, read from traces of ours and of others."""

import json
from pathlib import Path
from typing import Any

import pytest
from trace_builder import toy_game

from pipeline.derive.parallel import derive
from pipeline.tables.io import read_table
from pipeline.traces.game_state import Call, read_calls
from pipeline.traces.limits import MAX_NUMBER
from pipeline.traces.records import TurnEnd


def calls(usage: Any) -> list[Call]:
    return read_calls(17, TurnEnd(agent_id=0, usage=usage), 1, "CHEAP_TALK")


# What a usage says → input, output and cached tokens, and dollars.
EXAMPLES = [
    ({"input_tokens": 7, "output_tokens": 3, "cost_usd": 0.5}, (7, 3, None, 0.5)),
    ({"prompt_tokens": 7, "completion_tokens": 3, "cached_tokens": 2}, (7, 3, 2, None)),
    ({"input_tokens": None, "prompt_tokens": 7}, (7, None, None, None)),
    ({"input_tokens": 0, "output_tokens": 0, "cost_usd": 0}, (0, 0, None, 0.0)),
    ({"input_tokens": -1, "output_tokens": MAX_NUMBER + 1, "cost_usd": -0.1}, (None, None, None, None)),
    ({"input_tokens": True, "output_tokens": "3", "cost_usd": "1"}, (None, None, None, None)),
    ({"input_tokens": 1.5, "cost_usd": 10**400}, (None, None, None, None)),
    ({"model": "m", "cost_usd": float("nan")}, (None, None, None, None)),
]


@pytest.mark.parametrize(("usage", "expected"), EXAMPLES)
def test_a_call_has_the_counts_that_its_usage_gives(usage: dict[str, Any], expected: tuple[Any]) -> None:
    (found,) = calls(usage)
    assert (found.input_tokens, found.output_tokens, found.cached_input_tokens, found.cost_usd) == expected


@pytest.mark.parametrize("usage", [None, {}, [], [1], "7 tokens", 7, True])
def test_no_usage_is_no_call(usage: Any) -> None:
    assert calls(usage) == []


def test_a_call_counts_what_failed_before_it_and_cuts_long_names() -> None:
    (found,) = calls({"model": "m" * 999, "failed_attempts": ["429", "500"], "priced_by": "team, 2026"})
    assert (found.model, found.priced_by, found.failed_attempts) == ("m" * 200, "team, 2026", 2)


OWN = {"input_tokens": 7, "output_tokens": 3, "cached_input_tokens": 2, "cost_usd": 0.5}
EMPTY = {"input_tokens": 7, "output_tokens": 0, "cached_input_tokens": 1, "cost_usd": 0.25}

# What failed attempts took → input, output and cached tokens, dollars, and how many attempts are in none of them.
ATTEMPTS = [
    ([], (7, 3, 2, 0.5, 0)),
    ([EMPTY, EMPTY], (21, 3, 4, 1.0, 0)),
    ([EMPTY, {}], (14, 3, 3, 0.75, 1)),
    ([EMPTY | {"cost_usd": None}], (14, 3, 3, 0.5, 1)),
    ([dict.fromkeys(EMPTY)], (7, 3, 2, 0.5, 1)),
    (None, (7, 3, 2, 0.5, 2)),
    ("two", (7, 3, 2, 0.5, 2)),
    ([3, EMPTY | {"output_tokens": -1}], (14, 3, 3, 0.75, 1)),
]


@pytest.mark.parametrize(("charged", "expected"), ATTEMPTS)
def test_attempts_that_were_charged_for_are_added_up_and_those_that_nobody_noted_are_counted(
    charged: Any, expected: tuple[Any, ...]
) -> None:
    (found,) = calls(OWN | {"failed_attempts": ["an empty answer", "429"], "charged_attempts": charged})
    assert (found.input_tokens, found.output_tokens, found.cached_input_tokens, found.cost_usd) == expected[:4]
    assert (found.failed_attempts, found.uncounted_attempts) == (2, expected[4])
    (unpriced,) = calls(OWN | {"cost_usd": None, "charged_attempts": [EMPTY | {"cost_usd": None}]})
    assert (unpriced.input_tokens, unpriced.cost_usd, unpriced.uncounted_attempts) == (14, None, 0)


def test_turns_and_answers_are_calls_of_their_round_and_phase(tmp_path: Path) -> None:
    game = toy_game().event("turn_end", agent_id=0, usage={"input_tokens": 5})
    game.event("decide_end", round=1, agent_id=1, phase="DECISION", usage={"input_tokens": 6}).event("turn_end")
    (tmp_path / "game.json").write_text(json.dumps(game.content))
    assert derive([tmp_path / "game.json"], tmp_path / "out", workers=1).rejected == ()
    found = read_table(tmp_path / "out", "calls").select("round", "phase", "agent", "input_tokens")
    assert found.rows() == [(1, "CHEAP_TALK", 0, 5), (1, "DECISION", 1, 6)]
