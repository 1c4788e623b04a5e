"""Costs that English names in figures."""

from math import log2

import pytest
from small_games import SETTINGS, Game

from pipeline.beyond.leakage.measure import with_figures
from pipeline.beyond.leakage.statements import cost_in_figures

CLAUSES = [
    ("Slot 2 would cost me 1", 1),
    ("For me slots 3–6, 8, 11 and 13 come at cost 100", 100),
    ("I can make room in slots 0, 2 and 9-13 (cost=1 each)", 1),
    ("The cost of slots 7 through 9 is 1000 each on my side", 1000),
    ("From Agent 4 I have a cost of 1 for slots 0, 5 and 6", 1),
    ("Slot #3 would come at cost 100 for agent #2", 100),
    ("It costs 100 to clear slot 1", 100),
    ("Slots 0, 3 and 4 are low cost on my side", None),
    ("There is nothing in my way at slots 4 to 7", None),
    ("Slot 1 costs 100, slot 2 costs 1", None),
    (None, None),
]


@pytest.mark.parametrize(("clause", "cost"), CLAUSES)
def test_a_cost_is_the_one_figure_that_names_no_slot_and_no_agent(clause: str | None, cost: int | None) -> None:
    assert cost_in_figures(clause) == cost


def test_a_figure_that_is_believed_tells_the_cost_and_not_only_that_it_is_possible() -> None:
    game = Game([[0, 0], [100, 0]], setting="varied").claimed(0, 0, 1, 0, "positive")
    game.rows["belief_evidence"][0]["matched_clause"] = "slot 0 costs me 100"
    row = with_figures(game.ended(0, {0: 1, 1: 1}).tables(), SETTINGS).row(0, named=True)
    surprise = -log2(0.5 * 0.75 * 11 / 36)  # about one of two ordered pairs
    assert row["bits_with_figures"] == row["bits_true_with_figures"] == pytest.approx(surprise / 2)
