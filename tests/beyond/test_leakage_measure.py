"""Bits of whole games: scripted protocols by hand, English and its figures, rounds, coalitions, lies."""

from itertools import permutations
from math import log2
from pathlib import Path
from random import Random

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from small_games import BLOCKED, SETTINGS, Game, Slot

from pipeline.beyond.leakage.measure import Leakage, game_bits, leakage, with_figures
from pipeline.beyond.leakage.statements import cost_in_figures
from pipeline.tables.io import write_table
from pipeline.tables.schemas.base import TABLES

FREE, ERRAND, BUSY = log2(8), -log2(0.375), 1.0  # bits of each state under the stated prior, uniform costs
PROPOSED = 0.85 * log2(0.85 / 0.5) + 0.15 * log2(0.15 / 0.5)


def measured(game: Game) -> Leakage:
    return leakage(game.tables(), SETTINGS)


def bits(game: Game, observer: int = 0, target: int = 1, number: int = 0, column: str = "bits") -> float:
    found = measured(game).pairs.filter(observer_agent=observer, target_agent=target, round=number)
    return float(found[column].sum())


def asked(calendar: list[Slot], **body: object) -> Game:
    """Agent 0 asks agent 1 for costs of slots 0 to 3, who answers."""
    game = Game([[0, 0, 0, 0], calendar], setting=str(body.pop("setting", "uniform")))
    game.typed(0, 0, 1, imap="cost_request", meeting_id=1, slots=[0, 1, 2, 3])
    return game.typed(0, 1, 0, imap="costs", meeting_id=1, **body).ended(0, {0: 0, 1: 0})


def test_costs_tell_each_slot_exactly() -> None:
    game = asked([0, 1, BLOCKED, 1], costs={"0": 0, "1": 1, "2": None})
    assert bits(game) == bits(game, column="bits_true") == pytest.approx(FREE + ERRAND + BUSY)
    assert bits(game, column="feasible_bits") == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("score", "held", "possible"), [(11, 0, 1 / 4), (10, 1, 0.75 * 14 / 36), (1, 1000, 0.75 * 22 / 36)]
)
def test_a_score_tells_the_costs_that_come_to_it(score: int, held: int, possible: float) -> None:
    game = Game([[0, 0], [held, 0]], setting="varied")
    plan = {"id": 0, "slot": 0, "displacements": [], "cleared_slots": []}
    game.typed(0, 0, 1, dsm="proposals", slots=[0], plans=[plan], round=1, participants=[0, 1])
    game.typed(0, 1, 0, dsm="scores", scores={"0": score}, round=1).ended(0, {0: 0, 1: 0})
    assert bits(game) == bits(game, column="bits_true") == pytest.approx(-log2(0.5 * possible))
    assert bits(game, observer=1, target=0) == pytest.approx(1.0)


def test_one_slot_at_a_time_tells_one_bit_for_an_answer_and_less_for_a_question() -> None:
    game = Game([[0, 0], [BLOCKED, 0]])
    for slot, status in ((0, "IMPOSSIBLE"), (1, "PENDING")):
        game.typed(0, 0, 1, sd="propose", meeting_id=1, slot=slot, initiator=0)
        game.typed(0, 1, 0, sd="reply", meeting_id=1, slot=slot, reply_status=status, attendee=1)
    game.ended(0, {0: 1, 1: 1})
    assert bits(game) == pytest.approx(2.0)
    assert bits(game, observer=1, target=0) == pytest.approx(2 * PROPOSED)
    game.typed(0, 0, 1, sd="confirm", meeting_id=1, slot=1)
    assert bits(game, observer=1, target=0) == pytest.approx(PROPOSED + 1.0)


def test_a_plan_that_moves_a_meeting_tells_where_nothing_stands() -> None:
    game = Game([[0, 0, 0], [0, 0, 0], [0, 0, 0]]).ended(0, {0: 1, 2: 1})
    plan = {"id": "p", "slot": 1, "displacements": [{"from_slot": 1, "to_slot": 2}], "cleared_slots": []}
    game.typed(1, 0, 1, dsm="proposals", slots=[1], plans=[plan], round=1, participants=[0, 1]).ended(1, {0: 0, 1: 0})
    assert bits(game, observer=1, target=0, number=1) == bits(game, 1, 0, 1, "bits_true") == pytest.approx(BUSY + FREE)


CLAIMS = [
    (0, 1, 0, "positive"),
    (0, 1, 0, "occupied"),
    (0, 1, 1, "negative"),
    (2, 1, 0, "proposal"),
    (0, 2, 0, "positive"),
]


def english(claims: list[tuple[int, int, int, str]], rounds: int = 1) -> Game:
    game = Game([[0, 0], [1, 1], [0, 1]])
    for number in range(rounds):
        for claim in claims:
            game.claimed(number, *claim)
        game.ended(number, {0: 0, 2: 1})
    return game


def test_no_order_of_messages_changes_a_digit_that_counts() -> None:
    first = measured(english(CLAIMS))
    for order in list(permutations(CLAIMS))[::17]:
        for one, other in zip(first, measured(english(list(order))), strict=True):
            assert_frame_equal(one, other, abs_tol=1e-12)


def test_a_slot_told_again_in_a_later_round_is_news_only_where_it_changed() -> None:
    game = Game([[0, 0, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0]])
    for number in (0, 1):
        game.typed(number, 0, 1, imap="cost_request", meeting_id=1, slots=[0, 1, 2])
        costs = {"0": 1, "1": 0, "2": 1} if number == 0 else {"0": None, "1": 1, "2": 1}
        game.typed(number, 1, 0, imap="costs", meeting_id=1, costs=costs)
        game.moved(number, 1, 0, 1) if number == 0 else game
        game.ended(number, {1: 0, 2: 0} if number == 0 else {0: 2, 2: 2})
    again = measured(game).pairs.filter(round=1, observer_agent=0)
    assert again["bits"].item() == pytest.approx(BUSY + 2 * ERRAND)
    assert again["new_bits"].item() == pytest.approx(BUSY + ERRAND)  # the meeting, and the errand where it landed
    assert again["total_bits"].item() == pytest.approx(2 * ERRAND + FREE + BUSY + ERRAND)
    assert again["misled"].item() == 0


def test_an_errand_that_can_no_longer_move_is_a_secret_of_its_own() -> None:
    game = Game([[0, 0], [1, 0], [0, 0]])
    for number, cost in ((0, 1), (1, None)):
        game.typed(number, 0, 1, imap="cost_request", meeting_id=1, slots=[0])
        game.typed(number, 1, 0, imap="costs", meeting_id=1, costs={"0": cost})
        game.ended(number, {1: 1, 2: 1} if number == 0 else {0: 0, 2: 0})
    last = measured(game).pairs.filter(round=1, observer_agent=0, target_agent=1).row(0, named=True)
    assert (last["new_bits"], last["total_bits"], last["misled"]) == (1, pytest.approx(ERRAND + BUSY), 0)


def test_only_noise_that_is_drawn_anew_tells_more_in_another_round() -> None:
    answer = {"ladder": [0, 1], "truth": 0.8, "levels": {"0": 0}}
    game = Game([[0, 0, 0], [0, 0, 0], [0, 0, 0]])
    game.typed(0, 1, 0, imap="noisy", **answer).typed(0, 1, 0, imap="noisy", **answer).ended(0, {0: 2, 2: 2})
    once = bits(game)
    game.typed(1, 1, 0, imap="noisy", **answer).ended(1, {0: 1, 1: 1})
    last = measured(game).pairs.filter(round=1).row(0, named=True)
    assert bits(game) == last["bits"] == pytest.approx(once) and last["total_bits"] > once + 0.1


def test_a_meeting_that_both_attend_is_no_news() -> None:
    game = Game([[0, 0], [0, 1]]).ended(0, {0: 0, 1: 0})
    game.typed(1, 0, 1, imap="cost_request", meeting_id=2, slots=[0, 1])
    game.typed(1, 1, 0, imap="costs", meeting_id=2, costs={"0": None, "1": 1}).ended(1, {0: 1, 1: 1})
    found = measured(game).pairs.filter(round=1, observer_agent=0)
    assert found["statements"].item() == 1


def test_a_lie_is_not_counted_as_leakage() -> None:
    game = asked([1, 1, 1, 0], costs={"0": None})
    assert bits(game) == pytest.approx(1.0)
    assert bits(game, column="bits_true") == pytest.approx(log2(2**-10 / 0.375))
    assert bits(game, column="misled") == 1


def test_a_coalition_knows_no_less_than_any_member_and_no_more_than_all_of_them_told_apart() -> None:
    for seed in range(6):
        rng = Random(seed)
        calendars: list[list[Slot]] = [[rng.choice([0, 1, BLOCKED]) for _ in range(4)] + [0] for _ in range(4)]
        game = Game(calendars)
        for number in range(2):
            for _ in range(8):
                sender, recipient = rng.sample(range(4), 2)
                slot = rng.randrange(4)
                status = "IMPOSSIBLE" if calendars[sender][slot] == BLOCKED else "PENDING"
                game.typed(number, sender, recipient, sd="reply", meeting_id=1, slot=slot, reply_status=status)
            game.ended(number, {0: 4, 2: 4} if number == 0 else {1: 4, 3: 4})
        found = measured(game).coalitions
        assert (found["bits"] >= found["best_member_bits"] - 1e-12).all()
        assert (found["bits"] <= found["members_bits"] + 1e-12).all()
        assert set(found["members"]) == {2, 3}


def test_a_coalition_puts_two_halves_together() -> None:
    game = Game([[0, 0], [1, 1], [0, 0], [0, 0]]).ended(0, {0: 0, 2: 0})
    for observer, slot in ((0, 0), (2, 1), (3, 1)):
        game.typed(0, 1, observer, sd="reply", meeting_id=1, slot=slot, reply_status="PENDING")
    found = {row["coalition"]: row for row in measured(game).coalitions.iter_rows(named=True)}
    together = {name: row["bits"] for name, row in found.items()}
    assert together == pytest.approx({"0+2": 2.0, "0+3": 2.0, "2+3": 1.0, "0+2+3": 2.0})
    assert found["0+2+3"]["members_bits"] == pytest.approx(3.0) and found["0+2+3"]["everybody"]


@pytest.mark.parametrize("pairs_up_to", [1, 8])
def test_of_two_agents_the_other_is_everybody(pairs_up_to: int) -> None:
    game = asked([0, 0, 0, 1], costs={"0": 0})
    found = leakage(game.tables(), SETTINGS | {"pairs_up_to": pairs_up_to}).coalitions
    assert found.select("coalition", "target_agent", "everybody", "bits").rows() == [
        ("0", 1, True, pytest.approx(FREE))
    ]


def test_a_folder_of_tables_has_a_row_for_each_game_also_for_one_in_which_nothing_was_told(tmp_path: Path) -> None:
    talk, silence = asked([0, 1, BLOCKED, 1], costs={"0": 0}), Game([[0], [0]], name="silent").ended(0, {0: 0, 1: 0})
    both = {name: pl.concat([talk.tables()[name], frame]) for name, frame in silence.tables().items()}
    for name, frame in both.items():
        write_table(frame, TABLES[name], tmp_path, csv=False)
    found = game_bits(tmp_path, SETTINGS)
    assert found["game_id"].to_list() == ["g", "silent"]
    assert found["bits"].to_list() == [pytest.approx(FREE / 2), 0.0]
    assert found["bits_touched"].to_list() == [pytest.approx(FREE), None]


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
