"""One game as a notebook shows it: which game, what a pair learnt, and Figure 1."""

from typing import Any

import polars as pl
import pytest

from pipeline.reports.plots.one_game import draw_round
from pipeline.reports.views.beliefs import pair_steps
from pipeline.reports.views.game import choose_game

GAMES = pl.DataFrame(
    {
        "game_id": ["d", "c", "b", "a"],
        "team": ["imap", "imap", "sd", None],
        "task_id": ["t2", "t1", "t1", "t3"],
        "repeat": [0, 1, 0, 0],
    }
)
NEAREST = [
    ({"team": "imap", "task_id": "t2"}, "d"),
    ({"team": "nobody", "task_id": "t2"}, "d"),
    ({}, "b"),
]


@pytest.mark.parametrize(("near", "chosen"), NEAREST)
def test_the_nearest_game_is_chosen_and_always_the_same(near: dict[str, str], chosen: str) -> None:
    assert choose_game(GAMES, **near) == choose_game(GAMES.reverse(), **near) == chosen


def update(
    index: int, observer: int, slot: int | None, after: float | None, span: tuple[int, int] | None = None
) -> dict[str, Any]:
    start, end = span or (None, None)
    return {
        "update_index": index, "observer_agent": observer, "target_agent": 0, "slot": slot, "source": "x",
        "evidence": 1.0, "strength": 0.5, "belief_before": 0.5, "belief_after": after,
        "span_start": start, "span_end": end,
    }  # fmt: skip


def test_a_pair_s_steps_are_its_own_in_order_with_the_words_that_they_rest_on() -> None:
    first = {
        "content": "slot 3 is free",
        "updates": [update(1, 1, 3, 0.75, (0, 6)), update(0, 1, 2, 0.75), update(2, 2, 3, 0.75)],
    }
    second = {"content": "{}", "updates": [update(0, 1, 99, None), update(1, 1, 3, 0.875)]}
    steps = pair_steps([first, second], observer=1, target=0)
    assert steps.select("message", "slot", "words").rows() == [(1, 2, None), (1, 3, "slot 3"), (2, 3, None)]
    assert pair_steps([], 1, 0).columns == steps.columns


def meeting(number: int) -> dict[str, Any]:
    return {"kind": "meeting", "id": number, "cost": 1, "blocked": False}


def errand(cost: int, blocked: bool = False) -> dict[str, Any]:
    return {"kind": "errand", "id": 7, "cost": cost, "blocked": blocked}


FROM_0_TO_1 = {"from_slot": 0, "to_slot": 1}


def game(**more: Any) -> dict[str, Any]:
    """A round of two agents: agent 0 moves an errand of cost 100 to make room in slot 0."""
    game_round = {
        "meeting_id": 1, "participants": [0, 1], "participant_slots": [0, 0], "coordinated": True, "slot": 0,
        "outcome": "M1 is in slot 0", "oracle_slot": 1, "cost": 100,
        "messages": [{"turn": 0, "from_agent": 0, "to_agents": [1]}],
        "moves": [{"agent": 0, "phase": "DECISION", "item_kind": "errand", "item_id": 7, **FROM_0_TO_1, "cost": 100}],
        "before": [[errand(100), None, errand(1, True)], [None, None, None]],
        "after": [[meeting(1), errand(100), errand(1, True)], [meeting(1), None, None]],
    }  # fmt: skip
    return {"game": {"simulated": False}, "agents": [0, 1], "rounds": [game_round | more]}


def words(view: dict[str, Any]) -> list[str]:
    figure = draw_round(view, 0, "A round")
    shown = [text.get_text() for axes in figure.axes for text in axes.texts]
    return [*shown, figure.get_suptitle(), *(axes.get_title(loc="left") for axes in figure.axes)]


def test_figure_1_shows_costs_moves_and_where_the_meeting_went() -> None:
    shown = words(game())
    assert {"100", "M1", "errand 0 → 1 (cost 100)", "moves nothing", "slot 0", "nobody moves"} <= set(shown)
    assert "A round" in shown
    assert "C   After: M1 is in slot 0; the round cost 100" in shown
