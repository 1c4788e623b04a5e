"""Negotiation stance: the phrases of Appendix A, the shares, the ratio and the profile."""

from pathlib import Path

import polars as pl
import pytest
from behaviour_tables import derived
from hypothesis import given
from hypothesis import strategies as st
from trace_builder import TraceBuilder

from pipeline.behaviour.phrases import words
from pipeline.behaviour.tables import stance
from pipeline.tables import io
from pipeline.tables.queries import query
from pipeline.tables.schemas.base import TABLES


def counts(*messages: str) -> tuple[int, ...]:
    """(English messages, acquiescing, pushing back, both) of agent 0."""
    trace = TraceBuilder().round(0)
    for message in messages:
        trace.dm(0, 0, 1, message)
    row = derived(trace)["stance"].row(0, named=True)
    return row["english_messages"], row["acquiescing"], row["pushing_back"], row["both"]


def test_the_lists_have_as_many_phrases_as_the_paper_says() -> None:
    lists = words("stance")
    assert (len(set(lists["acquiescence"])), len(set(lists["pushback"]))) == (11, 17)


@pytest.mark.parametrize("apostrophe", ["'", "’"])
@pytest.mark.parametrize("name", ["acquiescence", "pushback"])
def test_every_phrase_is_found_in_any_case_and_with_either_apostrophe(name: str, apostrophe: str) -> None:
    phrases = [phrase.replace("'", apostrophe) for phrase in words("stance")[name]]
    said = [form for phrase in phrases for form in (phrase, phrase.upper(), f"Well,{phrase}x")]
    found = {"acquiescence": (len(said), 0), "pushback": (0, len(said))}[name]
    assert counts(*said) == (len(said), *found, 0)


MESSAGES = (
    ("Slot 5 is difficult for me, but I can make it work", (1, 1, 1, 1)),
    ("How about slot 5?", (1, 0, 1, 0)),
    ('{"sd": "propose", "slot": 5, "note": "how about"}', (0, 0, 0, 0)),
    ('{"note": "how about"}', (1, 0, 1, 0)),
)


@pytest.mark.parametrize(("message", "expected"), MESSAGES)
def test_matching_is_lexical_and_skips_protocols(message: str, expected: tuple[int, ...]) -> None:
    assert counts(message) == expected


def test_silent_agents_have_a_row_of_zeros() -> None:
    rows = derived(TraceBuilder().round(0).dm(0, 1, 0, "Agreed."))["stance"].select("agent", "acquiescing").rows()
    assert rows == [(0, 0), (1, 1), (2, 0)]


# Table 3: acquiescence and pushback per 1000, the ratio as printed, expensive moves in 36 varied games, the profile.
TABLE_3 = (
    ("Gemini 3.1 Pro", 160, 35, 4.62, 14, "Informed acquiescence"),
    ("Gemini 3 Flash", 215, 139, 1.55, 18, "Balanced, slightly acquiescent"),
    ("Qwen3.6 Plus", 160, 236, 0.68, 25, "Assertive, efficient"),
)


@pytest.fixture(scope="module")
def table_3(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    """The stance table over games made to have the figures of Table 3."""
    folder = tmp_path_factory.mktemp("stance")
    games, stances, patterns = [], [], []
    for team, acquiescing, pushing, _, moves, _ in TABLE_3:
        games += [{"game_id": f"{team}{i}", "team": team, "setting": "varied"} for i in range(36)]
        stances.append((f"{team}0", 0, 1000, acquiescing, pushing, 0))
        patterns += [(f"{team}0", 0, i, "qualitative_flattening", 0, None, None, i, True) for i in range(moves)]
    names = io.polars_schema(TABLES["games"])
    rows = [tuple((game | {"condition": "standard", "simulated": False}).get(name) for name in names) for game in games]
    for name, listed in (("games", rows), ("stance", stances), ("patterns", patterns)):
        io.write_table(io.to_frame(TABLES[name], listed), TABLES[name], folder, csv=False)
    return query("stance", Path(folder))


@pytest.mark.parametrize("expected", TABLE_3, ids=[row[0] for row in TABLE_3])
def test_the_rule_gives_the_papers_profiles(
    expected: tuple[str, int, int, float, int, str], table_3: pl.DataFrame
) -> None:
    team, acquiescing, pushing, ratio, moves, profile = expected
    row = table_3.filter(team=team).row(0, named=True)
    assert (row["acquiescence_pct"], row["pushback_pct"]) == pytest.approx((acquiescing / 10, pushing / 10))
    assert row["ratio"] == pytest.approx(ratio, abs=0.06)
    assert (row["expensive_moves"], row["profile"]) == (moves, profile)


@given(st.lists(st.text(max_size=30), max_size=4))
def test_no_text_is_too_strange(texts: list[str]) -> None:
    said = {
        "game_id": ["g"] * len(texts),
        "from_agent": [0] * len(texts),
        "content": texts,
        "typed": [None] * len(texts),
    }
    types = {"game_id": pl.String, "from_agent": pl.Int64, "content": pl.String, "typed": pl.String}
    row = stance(pl.DataFrame(said, types), pl.DataFrame({"game_id": ["g"], "agent": [0]})).row(0, named=True)
    assert row["english_messages"] == len(texts)
    assert row["both"] <= min(row["acquiescing"], row["pushing_back"])
