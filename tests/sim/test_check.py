"""`python -m sim run --check`: one real call a model, over HTTP on this machine, and the estimates that rest on it."""

import re

import pytest

from tests.sim.stub import KEY, stub
from tests.sim.test_provider_runs import DEAR, folder, paid, run, traces

pytestmark = [
    pytest.mark.usefixtures("planted_key"),
    pytest.mark.filterwarnings("ignore:Item 'summary' on TypedDict class 'ChatCompletionReasoningItem'"),
]

__all__ = ["folder"]


def test_a_check_asks_once_and_shows_the_request_and_what_came_of_it(folder):
    with stub("reasons") as server:
        result = run(folder, server, "--check", prices=DEAR)
        assert server.requests == 1
    assert result.exit_code == 0, result.stderr
    assert '"model": "openai/stub"' in result.stdout and "=== ROUND 0 START ===" in result.stdout
    assert KEY not in result.stdout
    assert "openai/stub: stub-2026-01-01 answered; " in result.stdout and "(2000 of them reasoning)" in result.stdout
    assert result.stdout.rstrip().endswith("read as strict")
    assert not (folder / "traces").exists()


def test_a_check_finds_the_parameter_that_a_provider_refuses(folder):
    with stub("seed-400", stubborn=True) as server:
        result = run(folder, server, "--check", seed=5)
        assert server.requests == 2
    assert result.exit_code == 0, result.stderr
    assert "openai/stub: refuses seed; leave it out of the team: " in result.stdout


def test_a_check_without_an_answer_says_why(folder):
    with stub("500", stubborn=True) as server:
        result = run(folder, server, "--check")
    assert result.exit_code == 4
    assert "openai/stub: no answer: " in result.stdout and "the stub fails on request" in result.stdout


def test_a_check_makes_the_estimate_of_a_model_that_reasons_a_good_one(folder):
    words = ("--cache", str(folder / "answers"))
    with stub("reasons", stubborn=True) as server:
        run(folder, server, "--check", *words, prices=DEAR)
        estimated = run(folder, server, "--dry-run", *words, prices=DEAR)
        assert run(folder, server, *words, prices=DEAR).exit_code == 0
    usd = float(re.search(r"([0-9.]+) USD \(team", estimated.stdout)[1])
    cost = sum(map(paid, traces(folder)))
    assert cost / 1.5 < usd < cost * 1.5
    assert "at the tokens that a check showed" in estimated.stdout
