"""English, and whole games, as the public benchmark's script reads them.

data/gold/public_script has what it made of 6,472 messages and 27 games of simulated speakers.
"""

import hashlib
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from trace_builder import TraceBuilder

from pipeline.derive.parallel import Recipe, derive
from pipeline.privacy.english_release import VALUES, release_runs
from pipeline.privacy.language.messages import language_claims
from pipeline.privacy.recorded import recorded_reading
from pipeline.privacy.rules import ENGLISH_VERSIONS, RULES, RuleSet, Weighing, claims_of
from pipeline.tables.io import read_table
from pipeline.traces.typed_messages import decode_message

FOLDER = Path(__file__).parents[2] / "data/gold/public_script"
SOURCES = {
    "N": "language_negative_slot_hint",
    "O": "language_occupied_slot_hint",
    "P": "language_free_slot_hint",
    "PC": "language_free_cost_slot_hint",
    "C": "language_cost_slot_hint",
    "R": "language_proposal_slot_hint",
}


@cache
def messages() -> list[dict[str, Any]]:
    packed = (FOLDER / "messages.jsonl.zst").read_bytes()
    return [json.loads(line) for line in zstandard.decompress(packed).decode().splitlines()]


def found(text: str, sender: int = 0, recipient: int = 1, agents: int = 5, slots: int = 16) -> set[str]:
    """What is found, as "target:slot class"."""
    names = {source: name for name, source in SOURCES.items()}
    runs = release_runs(text, sender, recipient, agents, slots)
    return {f"{target}:{slot} {names[source]}" for target, slot, source, *_ in claims_of(runs)}


def test_every_message_gives_the_evidence_that_the_script_finds() -> None:
    assert len(messages()) == 6472
    for message in messages():
        if decode_message(message["text"]) is not None:
            assert message["evidence"] == []
            continue
        who = message["sender"], message["recipient"], message["num_agents"], message["num_slots"]
        got = [claim[:5] for claim in claims_of(release_runs(message["text"], *who))]
        expected = [(t, slot, SOURCES[name], *VALUES[SOURCES[name]]) for t, slot, name in message["evidence"]]
        assert len(got) == len(expected)
        for target, slot in {claim[:2] for claim in got + expected}:  # their order matters within a belief alone
            assert [c for c in got if c[:2] == (target, slot)] == [c for c in expected if c[:2] == (target, slot)]


@pytest.mark.parametrize("rules", ["paper", "release"])
def test_every_pair_and_round_of_whole_games_has_the_script_s_loss(rules: str, tmp_path: Path) -> None:
    derive([FOLDER / "games.jsonl.zst"], tmp_path, Recipe(RULES[rules], csv=False), workers=1)
    pairs = read_table(tmp_path, "pair_round_vps").filter(weight_mode="uniform").drop_nulls("vps_release")
    key = ["game_id", "round", "target_agent", "observer_agent"]
    both = pairs.join(pl.read_csv(FOLDER / "pair_rounds.csv"), on=key, how="full", suffix="_expected")
    assert both.height == pairs.height == 733
    assert (both["vps_release"] - both["vps_release_expected"]).abs().max() < 1e-9  # type: ignore[operator]
    means = read_table(tmp_path, "game_summary").join(
        pl.read_csv(FOLDER / "game_means.csv"), on=["game_id", "weight_mode"], suffix="_expected"
    )
    assert means.height == 54
    assert (means["vps_release"] - means["vps_release_expected"]).abs().max() < 1e-9  # type: ignore[operator]
    if rules == "release":
        assert both["observations"].to_list() == both["observations_expected"].to_list()
        assert (both["vps_loss"] - both["vps_release"]).abs().max() == 0


EXAMPLES: tuple[tuple[str, set[str]], ...] = (
    # clauses
    ("Slot 3 is free. Slot 5 is busy.", {"0:3 P", "0:5 N"}),
    ('Slot 3 is free." Slot 5 is busy', {"0:3 N", "0:5 N"}),
    # slots
    ("Free slots: 3, 5, 9", set()),
    ("Slots 2–6 are open", {"0:2 P", "0:6 P"}),
    ("slot 04 is open", {"0:4 P"}),
    ("slot 3 for Meeting #2 works", {"0:2 P", "0:3 P"}),
    ("Slot 3 for meeting 2 works", {"0:3 P"}),
    ("slot 3 cost         5 works", {"0:3 PC", "0:5 PC"}),
    ("perhaps can do 7 or so", {"0:7 P"}),
    (f"i have 7 {'z' * 44} free", set()),
    # targets
    ("I am free at slot 3 if you are.", {"0:3 P", "1:3 P"}),
    ("Would slot 3 work for you?", {"0:3 P"}),
    ("Agent 2 and I are free at slot 3", {"0:3 P", "2:3 P"}),
    ("Agent 2 has slot 3 open", {"0:3 P"}),
    ("Agent #2 is free at slot 3", {"0:3 P"}),
    # classes
    ("Slot 5 not free.", {"0:5 P"}),
    ("slot 6 free, cheap", {"0:6 PC"}),
    ("slot 6 free. slot 6 free and cheap.", {"0:6 P", "0:6 PC"}),
    ("slot 3 is less than 5", {"0:3 C", "0:5 C"}),
    ("No worries, I can make 7 work by moving a minor errand.", {"0:7 PC"}),
    ("All right, let us aim for slot 11.", {"0:11 R"}),
    # what is no English at all, and letters that are folded
    ('see "dsm" slot 3 is free', set()),
    ('{"note": "slot 3 is free"}', {"0:3 P"}),
)


@pytest.mark.parametrize(("text", "expected"), EXAMPLES)
def test_a_message_gives_what_the_script_finds(text: str, expected: set[str]) -> None:
    assert found(text) == expected


WORDS = st.sampled_from(
    [
        *(
            "slot",
            "Slots 3,",
            "14",
            "0-5",
            "free",
            "can't",
            "but",
            "?",
            ".",
            ";",
            "Agent 2",
            "both",
            "I",
            "you",
            "make",
        ),
        *("work", "has an errand", "cost", "cost 3", "lock", "ß", "ﬂ", "’", "٣", "9" * 5000, "\n", "agents 1, 2 and 3"),
    ]
)
TEXTS = st.lists(WORDS, max_size=25).map(" ".join)


@given(TEXTS, st.integers(0, 4), st.integers(0, 4))
def test_any_text_gives_known_evidence_of_the_game_s_agents_and_slots(text: str, sender: int, recipient: int) -> None:
    claims = claims_of(release_runs(text, sender, recipient, 5, 16))
    assert len({claim[:3] for claim in claims}) == len(claims)  # a target's slot counts once per source
    for target, slot, source, evidence, strength, clause, start, end in claims:
        assert target in range(5)
        assert slot in range(16)
        assert (evidence, strength) == VALUES[source]
        assert text[start:end] == clause


@given(TEXTS, TEXTS)
def test_clauses_are_read_each_by_itself(one: str, other: str) -> None:
    assert found(f"{one};{other}") == found(one) | found(other)


@pytest.mark.parametrize("repeated", ["make ", "agent ", "agents 1, ", "i ", "slot ", " ", "a", "need ", "9"])
def test_a_long_message_takes_no_longer_than_its_length_asks(repeated: str) -> None:
    assert found(repeated * (100_000 // len(repeated)) + ". Slot 3 is free") == {"0:3 P"} | found(
        repeated * (1_000 // len(repeated))
    )


def tables(trace: TraceBuilder, folder: Path, rules: RuleSet, weighing: Weighing | None = None) -> Path:
    (folder / "game.json").write_bytes(trace.text())
    recipe = Recipe(rules, weighing or Weighing(), tables=("game_summary", "pair_round_vps"), csv=False)
    derive([folder / "game.json"], folder / "tables", recipe, workers=1)
    return folder / "tables"


PAPER, SCRIPT = RULES["paper"], RULES["release"]
SAID = (
    TraceBuilder()
    .round(0)
    .dm(0, 0, 1, "I'm free at slot 3.")
    .dm(0, 0, 1, "You are busy at slot 2.")
    .dm(0, 1, 2, {"sd": "propose", "slot": 1})
    .group(0, 2, [0, 1], {"imap": "decision", "slot": 0})
    .dm(0, 2, 0, {"poll": "decision", "slot": 1, "note": "slot 1 is open"})
)
# The script's loss by target and observer: it knows no group message, and no protocol but the paper's.
BY_SCRIPT = {(0, 1): 0.24, (1, 1): 0.165, (1, 2): 0.7 * 0.35, (2, 0): 0.24}


@pytest.mark.parametrize("weighing", [Weighing(), Weighing(prior=0.2, weight_cap=2.0)])
@pytest.mark.parametrize("rules", [PAPER, replace(PAPER, english="release"), replace(SCRIPT, english="full"), SCRIPT])
def test_the_script_s_loss_stands_beside_that_of_any_rules(rules: RuleSet, weighing: Weighing, tmp_path: Path) -> None:
    folder = tables(SAID, tmp_path, rules, weighing)
    pairs = read_table(folder, "pair_round_vps").filter(weight_mode="uniform")
    losses = {
        (t, o): v for t, o, v in pairs.select("target_agent", "observer_agent", "vps_release").drop_nulls().rows()
    }
    assert losses == pytest.approx(BY_SCRIPT)
    summary = read_table(folder, "game_summary").filter(weight_mode="uniform").row(0, named=True)
    assert summary["vps_release"] == pytest.approx(sum(BY_SCRIPT.values()) / 4)
    assert summary["pair_rounds"] == pairs["vps_loss"].count()
    if rules is SCRIPT and weighing == Weighing():
        assert pairs["vps_loss"].to_list() == pairs["vps_release"].to_list()


def test_what_one_scale_alone_finds_is_empty_in_the_other(tmp_path: Path) -> None:
    pairs = read_table(tables(SAID, tmp_path, PAPER), "pair_round_vps").filter(weight_mode="cost")
    rows = {(row["target_agent"], row["observer_agent"]): row for row in pairs.iter_rows(named=True)}
    of_itself, in_group = rows[1, 1], rows[2, 1]
    assert (of_itself["vps_loss"], of_itself["vps_loss_per_weight"], of_itself["observations"]) == (None, None, 0)
    assert of_itself["weight_sum"] == 4.0
    assert (in_group["vps_loss"], in_group["vps_release"]) == (0.5, None)


def test_a_game_in_which_the_script_finds_nothing_has_no_loss_of_it(tmp_path: Path) -> None:
    summary = read_table(tables(TraceBuilder().round(0).dm(0, 0, 1, "Hello!"), tmp_path, PAPER), "game_summary")
    assert summary.select("vps_loss_total", "vps_release").rows() == [(0.0, None)] * 2


# A reading that makes something else of these messages needs a new version in ENGLISH_VERSIONS, and a line here.
DIGESTS = {("full", 1): "039a054a6ae7483a", ("literal", 1): "e693365911147ba1", ("release", 1): "53cd6ac08f204fd8"}


def digest(english: str) -> str:
    """The digest of what a reading makes of the messages."""
    read = hashlib.sha256()
    for message in messages():
        who = message["sender"], message["recipient"], message["num_agents"], message["num_slots"]
        if english == "release":
            claims = claims_of(release_runs(message["text"], *who))
        else:
            claims = language_claims(message["text"], who[0], replace(PAPER, english=english), who[3])
        read.update(repr([claim[:5] for claim in claims]).encode())
    return read.hexdigest()[:16]


@pytest.mark.parametrize(("english", "version"), ENGLISH_VERSIONS.items())
def test_a_reading_that_changes_has_a_new_version(english: str, version: int) -> None:
    assert digest(english) == DIGESTS[english, version]


def test_tables_say_by_which_reading_they_were_derived(tmp_path: Path) -> None:
    folder = tables(SAID, tmp_path, replace(PAPER, english="literal"))
    assert recorded_reading(folder) == ("paper", "literal", ENGLISH_VERSIONS["literal"])
    read_table(folder, "game_summary").drop("english").write_parquet(folder / "game_summary.parquet")
    assert recorded_reading(folder) is None
    assert recorded_reading(tmp_path / "nowhere") is None
