"""Where there is no terminal, a run says every so often how far it is, in lines that a log can hold."""

import re
from collections import Counter

import pytest

from sim.models.money import Ledger, Tally
from sim.runs import progress
from sim.runs.outcomes import Outcomes, answer_lines, so_far
from tests.sim.stub import stub
from tests.sim.test_provider_runs import folder, run

__all__ = ["folder"]

LINE = re.compile(
    r"playing: 2 of 3 games; coordination 1\.000, excess cost -?[\d.]+ a game; openai/stub: \d+ answers from \d+ "
    r"requests( \(\d+ failed\))?, 0 from the cache, \d+ tokens in, \d+ out, \d+\.\d{4} USD"
)


@pytest.mark.slow
@pytest.mark.usefixtures("planted_key")
@pytest.mark.filterwarnings("ignore:Item 'summary' on TypedDict class 'ChatCompletionReasoningItem'")
def test_a_run_with_a_provider_says_what_it_took_so_far(folder, monkeypatch):
    monkeypatch.setattr(progress, "EVERY", 0.01)
    with stub(latency=20) as server:
        result = run(folder, server, "--workers", "1", prices={"input": 9, "output": 9, "date": "2026-01-01"})
    lines = result.stderr.splitlines()
    assert (result.exit_code, "\x1b" in result.stderr) == (0, False)
    assert lines[0].startswith("playing: 0 of 3 games")
    assert any(map(LINE.fullmatch, lines)), lines


@pytest.mark.usefixtures("planted_key")
def test_half_a_minute_passes_between_two_lines(folder):
    assert progress.EVERY == 30
    with stub() as server:
        assert run(folder, server, "--limit", "1").stderr == ""


# One row what became of games, what they took, and how that is said.
SO_FAR = [
    (Outcomes(), {}, "playing: 4 of 9 games"),
    (
        Outcomes(stopped=3, not_begun=5, causes=Counter({"not begun: no money": 5, "no answer": 1, "HTTP 500": 2})),
        {"m": Tally(attempts=7, answers=5, input_tokens=8, output_tokens=9, cost_usd=1.5, unpriced=1, from_cache=2)},
        "playing: 4 of 9 games, 3 stopped (most often: HTTP 500); m: 5 answers from 7 requests (2 failed), 2 from the "
        "cache, 8 tokens in, 9 out, 1.5000 USD, and 1 answers of unknown cost",
    ),
    (
        Outcomes(ended=4, measured=2, coordination=1.5, excess=5),
        {"m": Tally(attempts=7, answers=7, unpriced=7)},
        "playing: 4 of 9 games; coordination 0.750, excess cost 2.5 a game; m: 7 answers from 7 requests, 0 from the "
        "cache, 0 tokens in, 0 out, cost unknown",
    ),
]


@pytest.mark.parametrize(("outcomes", "tallies", "said"), SO_FAR)
def test_what_is_not_known_is_said_to_be_so(outcomes, tallies, said):
    ledger = Ledger()
    ledger.tallies = tallies
    assert so_far(outcomes, ledger, 4, 9) == said


# One row how a team's answers were read, and what is said of it.
READ = [
    (
        Counter(strict=95, refused=3, empty=2),
        ["t: of 100 answers 95.0% strict, 0.0% repaired, 3.0% refused, 2.0% empty"],
    ),
    (
        Counter(repaired=9, empty=1),
        [
            "t: of 10 answers 0.0% strict, 90.0% repaired, 0.0% refused, 10.0% empty",
            "warning: more than 5% of the answers of t were refused",
        ],
    ),
    (Counter(), []),
]


@pytest.mark.parametrize(("read", "said"), READ)
def test_shares_of_answers_are_said_and_more_than_a_twentieth_refused_is_warned_of(read, said):
    assert list(answer_lines({"t": read})) == said


@pytest.mark.usefixtures("planted_key")
@pytest.mark.filterwarnings("ignore:Item 'summary' on TypedDict class 'ChatCompletionReasoningItem'")
def test_the_closing_lines_of_a_run_say_how_answers_were_read(folder):
    with stub("empty", stubborn=True) as server:
        result = run(folder, server, "--limit", "1")
    assert "stub: of " in result.stdout and " 100.0% empty" in result.stdout
    assert "warning: more than 5% of the answers of stub were refused" in result.stderr


def test_games_without_a_provider_are_counted_too(monkeypatch, capsys):
    monkeypatch.setattr(progress, "EVERY", 0)
    assert list(progress.progress([4, 4, 1], "playing", 9)) == [4, 4, 1]
    assert capsys.readouterr().err == "playing: 4 of 9\nplaying: 8 of 9\n"
