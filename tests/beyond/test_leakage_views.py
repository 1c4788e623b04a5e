"""What a whole view tells, against all rounds that real agents can play in tiny worlds."""

from typing import Any

import numpy as np
import pytest

from pipeline.beyond.leakage.attacker import LIKELIHOODS
from tests.beyond.tiny_worlds import (
    AGENTS,
    PARTICIPANTS,
    STATES,
    Array,
    beliefs_of,
    boards,
    by_view,
    played,
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
    ("dpop", {}),
    ("secure", {"ladder": (0, 1), "at_once": 1}),
    ("secure", {"ladder": (0, 1), "at_once": 2}),
    ("shares", {"ladder": (0, 1)}),
    ("poll", {"ladder": (0, 1)}),
    ("poll", {"ladder": (0,), "survey": 1, "patience": 2}),
    ("poll", {"survey": 0, "patience": 0, "ties": "named", "ladder": (0,)}),
    ("poll", {"survey": 0, "patience": 1, "ties": "own", "ladder": (0, 1)}),
]


def prior(slots: int) -> Array:
    """A prior in which no two slots are alike."""
    return np.random.default_rng(5).dirichlet(np.ones(len(STATES)) * 2, size=(AGENTS, slots))


@pytest.mark.parametrize(("protocol", "parameters"), [p if i in (0, 12) else pytest.param(*p, marks=pytest.mark.slow)
                                                      for i, p in enumerate(PROTOCOLS)])  # fmt: skip
def test_the_chance_of_a_view_is_that_of_the_calendars_that_give_it(protocol: str, parameters: dict[str, Any]) -> None:
    slots, of = 2, LIKELIHOODS[protocol]
    rounds = [(board, played(protocol, parameters, board)) for board in boards(slots)]
    for observers in (*OBSERVERS, (3,)):
        held = prior(slots)
        for view, board, chance in by_view(protocol, parameters, observers, slots, held, rounds):
            assert of(view, beliefs_of(held, board, observers), STATES) == pytest.approx(chance), (view, board)
            assert of(view, beliefs_of(held, board, PARTICIPANTS), STATES) == pytest.approx(1)
