"""What a whole view tells, and the floor below any proof, against all that real agents can play in tiny worlds."""

from itertools import product
from math import log2
from typing import Any

import numpy as np
import polars as pl
import pytest

from pipeline.beyond.leakage.attacker import LIKELIHOODS, bits_about, view_bits, view_means
from pipeline.beyond.leakage.gains import floor_bits
from pipeline.beyond.leakage.poll_views import MOST
from pipeline.beyond.leakage.statements import Calendars, held_out_priors
from pipeline.statistics.resampling import Resampling
from tests.beyond.tiny_worlds import (
    AGENTS,
    PARTICIPANTS,
    STATES,
    Array,
    Board,
    beliefs_of,
    boards,
    by_view,
    chances,
    played,
    signature,
    view_of,
)

OBSERVERS = ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
PRIVATE = {"l_max": 2, "beta": 0.25, "theta_unit_cost": 10.0, "welfare": 0.25}
PROTOCOLS: list[tuple[str, dict[str, Any]]] = [
    ("imap", {}),
    ("imap-kbit", {"bits": 0}),
    ("imap-kbit", {"bits": 1}),
    ("sd", {}),
    ("dsm", {}),
    ("dsm", PRIVATE),
    ("dsm", {"l_max": 2}),
    ("dsm-log", {"per_tenfold": 3}),
    ("secure", {"ladder": (0, 1), "at_once": 1}),
    ("secure", {"ladder": (0, 1), "at_once": 2}),
    ("shares", {"ladder": (0, 1)}),
    ("poll", {"ladder": (0, 1)}),
    ("poll", {"ladder": (0,), "survey": 1, "patience": 2}),
    ("poll", {"survey": 0, "patience": 0, "ties": "named", "ladder": (0,)}),
]
SLOTS = 2


def prior(slots: int = SLOTS) -> Array:
    """A prior in which no two slots are alike."""
    return np.random.default_rng(5).dirichlet(np.ones(len(STATES)) * 2, size=(AGENTS, slots))


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "parameters"), PROTOCOLS)
def test_the_chance_of_a_view_is_that_of_the_calendars_that_give_it(protocol: str, parameters: dict[str, Any]) -> None:
    held, of = prior(), LIKELIHOODS[protocol]
    rounds = [(board, played(protocol, parameters, board)) for board in boards(SLOTS)]
    for observers in (*OBSERVERS, (3,)):
        for view, board, chance in by_view(protocol, parameters, observers, SLOTS, held, rounds):
            assert of(view, beliefs_of(held, board, observers), STATES) == pytest.approx(chance), (view, board)
            assert of(view, beliefs_of(held, board, PARTICIPANTS), STATES) == pytest.approx(1)


BOARD: Board = ((1, 2), (0, 1), (1, 0))


@pytest.mark.parametrize(
    "protocol", ["imap", *(pytest.param(p, marks=pytest.mark.slow) for p in ("poll", "dsm", "secure", "sd"))]
)
def test_a_view_tells_of_one_agent_what_its_calendars_that_could_give_it_tell(protocol: str) -> None:
    held, observers, target = prior(), (1,), 2
    view = view_of(protocol, {}, played(protocol, {}, BOARD), observers, SLOTS)
    alike = [b for b in product(product(range(3), repeat=SLOTS), repeat=2)
             if signature(view_of(protocol, {}, played(protocol, {}, (b[0], BOARD[1], b[1])), observers, SLOTS))
             == signature(view)]  # fmt: skip
    every = sum(chances(held, (i, BOARD[1], r), (0, 2)) for i, r in alike)
    with_truth = sum(chances(held, (i, BOARD[1], r), (0,)) for i, r in alike if r == BOARD[2])
    beliefs, truth = (beliefs_of(held, BOARD, certain) for certain in (observers, PARTICIPANTS))
    assert bits_about(view, beliefs, truth, STATES, target) == pytest.approx(log2(with_truth / every))
    assert view_bits(view, beliefs, truth, STATES) == pytest.approx(-log2(every))


def test_messages_that_the_protocol_would_not_send_are_refused() -> None:
    view = view_of("imap", {}, played("imap", {}, BOARD), (0,), SLOTS)
    other = beliefs_of(prior(), ((1, 2), (2, 2), (2, 2)), PARTICIPANTS)
    with pytest.raises(ValueError, match="none of imap's"):
        view_bits(view, other, other, STATES)


# The same slots are possible in both; costs differ.
ALIKE: tuple[Board, Board] = ((1, 2), (0, 1), (1, 0)), ((0, 2), (0, 0), (0, 1))


@pytest.mark.slow
@pytest.mark.parametrize("observers", [(0,), (1,), (2,)])
def test_noise_has_the_chance_with_which_it_is_drawn(observers: tuple[int, ...]) -> None:
    parameters, held, of, ratios = {"epsilon": 1.0, "ladder": (0, 1)}, prior(), LIKELIHOODS["imap-noisy"], []
    truth, mistaken = ALIKE[0], tuple(ALIKE[a not in observers][a] for a in PARTICIPANTS)
    for game in range(800):
        said = played("imap-noisy", parameters, truth, str(game))
        view = view_of("imap-noisy", parameters, said, observers, SLOTS)
        both = [of(view, beliefs_of(held, board, PARTICIPANTS), STATES) for board in (mistaken, truth)]
        ratios.append(both[0] / both[1])
        if game < 3:
            every = [b for b in boards(SLOTS) if all(b[a] == truth[a] for a in observers)]
            hidden = [a for a in PARTICIPANTS if a not in observers]
            total = sum(chances(held, b, hidden) * of(view, beliefs_of(held, b, PARTICIPANTS), STATES) for b in every)
            assert of(view, beliefs_of(held, truth, observers), STATES) == pytest.approx(total)
    assert np.std(ratios) > 0
    assert np.mean(ratios) == pytest.approx(1, abs=5 * np.std(ratios) / np.sqrt(len(ratios)))


def cheapest(board: Board, slots: int = SLOTS) -> dict[int, float]:
    """Each feasible slot's total cost above the least."""
    names = STATES.names
    totals = {
        s: sum(names[of[s]] or 0 for of in board) for s in range(slots) if None not in [names[of[s]] for of in board]
    }
    return {s: total - min(totals.values()) for s, total in totals.items()}


@pytest.mark.slow
@pytest.mark.parametrize("observers", OBSERVERS)
def test_the_floor_is_the_chance_that_the_slot_is_as_cheap_as_it_is(observers: tuple[int, ...]) -> None:
    held, hidden = prior(), [a for a in PARTICIPANTS if a not in observers]
    every = [(board, cheapest(board)) for board in boards(SLOTS)]
    for board, own in every[::37]:
        beliefs, truth = (beliefs_of(held, board, certain) for certain in (observers, PARTICIPANTS))
        for slot in range(SLOTS):
            found = floor_bits(PARTICIPANTS, slot, beliefs, truth, STATES)
            if slot not in own:
                assert found is None
                continue
            alike = [(other, regrets) for other, regrets in every if all(other[a] == board[a] for a in observers)]
            as_cheap = sum(chances(held, other, hidden) for other, of in alike if of.get(slot, 9) <= own[slot])
            assert found == pytest.approx(-log2(as_cheap))


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["imap", "poll"])
def test_a_protocol_that_proves_its_slot_tells_its_initiator_no_less_than_the_floor(protocol: str) -> None:
    held = prior()
    for board in list(boards(SLOTS))[::61]:
        view = view_of(protocol, {}, played(protocol, {}, board), (0,), SLOTS)
        slot = view.chosen()
        if slot is not None:
            beliefs, truth = (beliefs_of(held, board, certain) for certain in ((0,), PARTICIPANTS))
            floor = floor_bits(PARTICIPANTS, slot, beliefs, truth, STATES)
            assert floor is not None
            assert view_bits(view, beliefs, truth, STATES) >= floor - 1e-9


@pytest.mark.slow
def test_few_courses_at_a_time_come_near_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = {"survey": 0, "patience": 1}
    view = view_of("poll", parameters, played("poll", parameters, ((0, 1, 1), (1, 1, 0), (1, 0, 0))), (2,), 3)
    beliefs = beliefs_of(prior(3), ((0, 1, 1), (1, 1, 0), (1, 0, 0)), (2,))
    exact = LIKELIHOODS["poll"](view, beliefs, STATES)
    monkeypatch.setattr("pipeline.beyond.leakage.poll_views.MOST", ((4, 1.0), *MOST))
    assert LIKELIHOODS["poll"](view, beliefs, STATES) == pytest.approx(exact, rel=0.7)


def test_a_task_s_prior_comes_from_all_other_tasks_and_leaves_common_meetings_out() -> None:
    free, busy = np.zeros((1, 2, 2), np.int64), np.full((1, 2, 2), 2)
    meeting = np.array([[[-7, 1], [-7, 2]]])
    games = pl.DataFrame({"game_id": ["a", "b"], "task_id": ["s", "t"]})
    found = held_out_priors(games, {"a": Calendars(free, 0 * free), "b": Calendars(busy, meeting)}, STATES)
    assert found["s"] == pytest.approx(np.array([0.5, 0.5, 2.5]) / 3.5)
    assert found["t"] == pytest.approx(np.array([4.5, 0.5, 0.5]) / 5.5)


def test_shares_and_floors_are_ratios_of_sums() -> None:
    names = ["team", "task_id", "role", "observers", "bits", "floor_bits", "literal_bits"]
    # fmt: off
    rows = [("imap", "s", "initiator", "0", 8.0, 2.0, 8.0), ("imap", "t", "initiator", "0", 4.0, None, 4.0),
            ("poll", "s", "initiator", "0", 3.0, 2.0, 1.0), ("poll", "t", "initiator", "0", 3.0, None, 1.0)]
    # fmt: on
    common = {"suite": "published", "setting": "uniform", "prior": "stated", "round": 0}
    seen = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        game_id=pl.col("team") + pl.col("task_id"), **{k: pl.lit(v) for k, v in common.items()}
    )
    found = view_means(seen, "imap", Resampling(resamples=20, level=0.95, seed="test"))
    of = {tuple(r[:3]): r[3] for r in found.select("team", "role", "measure", "mean").iter_rows()}
    assert of["poll", "initiator", "share"] == of["poll", "everybody", "share"] == 0.5
    assert (of["imap", "initiator", "times_floor"], of["imap", "initiator", "floor_bits"]) == (4.0, 2.0)
    assert of["poll", "initiator", "literal_bits"] == 1.0
