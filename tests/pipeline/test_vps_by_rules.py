"""One set of messages and games under several rule sets."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_builder import TraceBuilder, toy_game

from pipeline.derive.parallel import Recipe, derive
from pipeline.privacy.evidence import vps_by_rules
from pipeline.privacy.language.literal import MOST_CLAIMS
from pipeline.privacy.language.messages import language_claims
from pipeline.privacy.rules import ENGLISH, RULES, Claim, Weighing, chosen_rules
from pipeline.statistics.resampling import Resampling
from pipeline.statistics.robustness.sweep import english_tables, read_condition, vps_by_english
from pipeline.tables.io import conform, read_table
from pipeline.tables.schemas.results import RESULT_TABLES

ROOT = Path(__file__).parents[2]


def test_the_release_s_weaker_proposals_move_beliefs_by_so_much_less(tmp_path: Path) -> None:
    content = {"sd": "propose", "meeting_id": 1, "slot": 1, "initiator": 0}
    game = toy_game(team="sd").dm(1, 0, 1, content)
    (tmp_path / "game.json").write_text(json.dumps(game.content))
    derive([tmp_path / "game.json"], tmp_path / "tables", workers=1)
    frames = {name: read_table(tmp_path / "tables", name) for name in ("games", "rounds", "messages", "calendars")}
    alone = frames | {"messages": frames["messages"].filter(typed="sd", round=1)}
    found = vps_by_rules(alone)
    assert found.select("rules", "setting", "games").rows() == [("paper", "uniform", 1), ("release", "uniform", 1)]
    assert found["vps"].to_list() == pytest.approx([0.35, 0.70 * 0.35])


def read(message: str, english: str) -> list[Claim]:
    return language_claims(message, 9, replace(RULES["paper"], english=english))


def said(message: str, english: str) -> set[str]:
    return {
        f"{target} {slot} {source.removeprefix('language_')}" for target, slot, source, *_ in read(message, english)
    }


AS_PRINTED: tuple[tuple[str, set[str]], ...] = (
    ("Agent 2 is free at slot 8", {"2 8 positive"}),
    ("Agent 3 and I are available at slot 1", {"3 1 positive", "9 1 positive"}),
    ("If Agent 4 is available, slot 3 works", set()),
    ("Slot 4 would require me to reschedule but slot 12 works", {"9 4 occupied", "9 12 positive"}),
    (
        "Slots 3 and 5 are free, slot 7 is blocked",
        {"9 3 negative", "9 5 negative", "9 7 negative"},
    ),  # one class a clause
    ("My calendar is clear at slot 3. I have an appointment at slot 5.", set()),  # words that H.3 does not print
    ('{"imap": "decision", "slot": 3, "note": "slot 3 is free"}', set()),
)


@pytest.mark.parametrize(("message", "claimed"), AS_PRINTED)
def test_literal_reads_the_words_and_examples_of_h3_and_nothing_else(message: str, claimed: set[str]) -> None:
    assert said(message, "literal") == claimed
    assert all(message[claim[6] : claim[7]] == claim[5] for claim in read(message, "literal"))


WORDS = st.sampled_from(
    [
        "slot",
        "Slots 3,",
        "14",
        "0-5",
        "free",
        "can't",
        "but",
        "?",
        ".",
        "Agent 2",
        "and I",
        "you",
        "if",
        "difficult",
        "’",
        "٣",
        "9999",
    ]
)


@given(st.lists(WORDS, max_size=25).map(" ".join))
def test_any_text_has_claims_of_known_classes_in_true_spans(message: str) -> None:
    claims = read(message, "literal")
    assert {claim[2].removeprefix("language_") for claim in claims} <= set(ENGLISH)
    assert all(message[claim[6] : claim[7]] == claim[5] for claim in claims)


def test_a_hostile_message_is_read_up_to_a_bound() -> None:
    clause = (
        "agent 1 and I, "
        + ", ".join(f"agent {n}" for n in range(99))
        + " are free at "
        + " slot ".join(map(str, range(40)))
    )
    assert 0 < len(read(f"{clause}. " * 50, "literal")) <= MOST_CLAIMS


def test_the_rule_set_of_parameters_names_its_readings() -> None:
    rules = chosen_rules({"rules": "release", "english": "literal", "epsilon": 0.1})
    assert (rules.name, rules.english, rules.epsilon) == ("release", "literal", 0.1)
    with pytest.raises(ValueError, match="'loose' is none of full, literal, release"):
        chosen_rules({"rules": "release", "english": "loose", "epsilon": 0.1})


def test_each_team_s_vps_is_set_against_that_of_the_study_s_reading(tmp_path: Path) -> None:
    for team, message in (("clear", "I'm free at slot 3."), ("other", "My calendar is clear at slot 3.")):
        game = TraceBuilder(team, team=team).round(0).dm(0, 1, 0, message).resolution(0, False)
        (tmp_path / f"{team}.json").write_text(json.dumps(game.content))
    derive([tmp_path], tmp_path / "tables", Recipe(csv=False), workers=1)
    names = ("full", "literal", "release")
    frames = read_condition(tmp_path / "tables", "standard")
    vps = vps_by_english(frames, names, RULES["paper"], Weighing())
    assert np.isnan(vps).sum() == 2  # neither printed reading hears the other team
    groups = {"both": ["clear", "other"]}
    tables = english_tables(
        vps, frames["games"], names, "full", groups, (Resampling(100, 0.95, "english"), 100, "flips")
    )
    for name, table in tables.items():
        conform(table, RESULT_TABLES[name])
    means = tables["english_rules"].filter(team="clear")
    assert means["vps"].to_list() == pytest.approx([0.45, 0.45, 0.24])
    assert means["ratio"].to_list() == pytest.approx([1, 1, 0.24 / 0.45])
    assert tables["english_rules"].filter(team="other")["vps"].to_list() == [pytest.approx(0.45), None, None]
    with pytest.raises(ValueError, match="add the study's choice"):
        english_tables(vps, frames["games"], names, "loose", groups, (Resampling(100, 0.95, "e"), 100, "f"))
