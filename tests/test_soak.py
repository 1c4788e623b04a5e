"""The soak finds what is lost, says it by name, and draws the same again."""

import pytest
from hypothesis import settings

from tests import soak_units
from tests.soak_units import perform


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
