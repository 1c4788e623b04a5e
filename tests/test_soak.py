"""The soak finds what is lost, says it by name, and draws the same again."""

from collections import Counter
from itertools import islice

import pytest
from hypothesis import settings

from tests import soak_units
from tests.soak import CYCLE, names, table
from tests.soak_units import UNITS, perform


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak_units, "TRACES", 40)


def test_changed_traces_are_read_or_refused_and_no_changed_figure_passes() -> None:
    outcome = perform("soak 0:traces:1")
    assert outcome.losses == []
    assert outcome.counts["figures changed and found out"] > 0
    assert perform("soak 0:traces:1") == outcome


def test_a_lie_that_nobody_finds_is_a_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak_units, "audit", lambda text, path: [])
    outcome = perform("soak 0:traces:1")
    assert outcome.losses
    assert all(loss.startswith("soak 0:traces:1: trace ") and "finds nothing" in loss for loss in outcome.losses)


@pytest.mark.slow
def test_a_game_that_does_not_add_up_is_a_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(trace: object) -> None:
        raise AssertionError("it does not add up")

    monkeypatch.setattr(soak_units, "check", fail)
    monkeypatch.setattr(soak_units, "SETTINGS", settings(soak_units.SETTINGS, max_examples=2))
    losses = perform("soak 0:games:0").losses
    told = [loss.partition("; HostileGame")[0] for loss in losses]
    assert told == [f"soak 0:games:0: game {n}: AssertionError: it does not add up" for n in (0, 1)]


def test_a_run_s_units_are_of_every_kind_and_have_names_of_their_own() -> None:
    units = list(islice(names(3), 2 * len(CYCLE)))
    assert {kind for kind, _ in units} == set(UNITS)
    assert len({name for _, name in units}) == len(units)
    assert units[0] == ("kills", "soak 3:kills:0")


def test_the_figures_are_a_table() -> None:
    told = table(3, 10, Counter({"games fuzzed": 1234}), 0)
    assert told.startswith("Soak 3, 10 minutes on ")
    assert "| games fuzzed | 1,234 |" in told
    assert told.endswith("| **losses** | **0** |")
