"""A game is held against the task that it names."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from audit_bases import Raw, raw_of, sealed, text_of
from audit_changes import Change, at, forget, nth
from audit_suites import known_of, own_suite, paper_game, paper_text, write_suite
from click.testing import Result
from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.tables.paths import PAPER_SUITE
from pipeline.traces.audit.auditor import audit_trace
from pipeline.traces.audit.divergences import NOTE, Divergence
from pipeline.traces.audit.suites import SuiteError, read_suites
from sim.game.trace import encoded
from sim.runs.play import Play, play_game
from sim.runs.teams import named_teams
from sim.tasks.lists import read_list
from sim.tasks.suite import make_listed_task, make_task
from tests.sim.worlds import entry, tiny_task

FIRST = "b037_easy_5a_3p_d0p6_c1_1"
TASK_CODES = ("wrong_task", "unknown_task", "other_difficulty", "other_rules")


def found(raw: Raw, *lists: Path) -> list[Divergence]:
    suites = read_suites(lists or (PAPER_SUITE,))
    divergences = audit_trace(sealed(raw), "t.json", suites).divergences
    return [d for d in divergences if d.code in TASK_CODES]


def seeded(raw: Raw) -> None:
    """Another seed, wherever a trace states it."""
    raw["config"]["seed"] = nth(raw, "game_start")["scenario_seed"] = 323074


def other_meetings(raw: Raw) -> None:
    """Another first meeting, which the digest of the calendars does not know."""
    meeting = raw["config"]["scenario"]["meetings"][0]
    order = meeting["speaker_order"]
    other = next(a for a in range(5) if a not in order)
    meeting["speaker_order"] = [other, *order[1:]]
    meeting["participants"] = sorted(meeting["speaker_order"])


@pytest.mark.parametrize("form", ["standard", "blocked"])
def test_a_game_of_the_paper_s_task_has_no_divergence(form: str) -> None:
    assert audit_trace(paper_text(form), "t.json", read_suites([PAPER_SUITE])).divergences == ()


def test_one_easy_game_under_every_task_id_is_found_out() -> None:
    raw = paper_game("standard")
    names = [name for name in read_suites([PAPER_SUITE]) if name != FIRST]
    assert len(names) == 71
    for name in names:
        raw["config"]["task_id"] = name
        assert "digest" in " ".join(d.detail for d in found(raw)), name


FORGED: Sequence[tuple[str, str, Change, str]] = (
    ("another seed", "standard", seeded, "config.seed of"),
    ("another setting", "standard", at("config.setting", "varied"), "setting of"),
    ("called blocked", "standard", at("config.condition", "blocked"), "condition of"),
    ("called standard", "blocked", at("config.condition", "standard"), "condition of"),
    ("a number for a difficulty", "standard", at("config.difficulty", 1), "difficulty"),
    ("no difficulty", "standard", forget("config.difficulty"), "difficulty"),
    ("another witness", "standard", at("config.scenario.witness.assignments.1", 15), "witness's cost"),
    ("other meetings", "standard", other_meetings, "cost of"),
    ("an optimum that nobody could prove", "standard", at("config.scenario.optimal_bound", 0), "optimal cost of"),
    ("a blocked game as standard", "blocked", at("config.task_id", FIRST), "digest"),
    ("a standard game as blocked", "standard", at("config.task_id", f"{FIRST}_blocked2"), "blocked errands an agent"),
    ("a name of no list", "standard", at("config.task_id", "warmup"), f"name of a task of {PAPER_SUITE.name}"),
    ("a blocked game's, too", "blocked", at("config.task_id", "warmup"), f"name of a task of {PAPER_SUITE.name}"),
    ("another number", "blocked", at("config.task_id", f"{FIRST}_blocked4"), "name of"),
    ("other errands blocked", "misblocked", lambda raw: None, "blocked slots of"),
)


@pytest.mark.parametrize(("form", "change", "what"), [f[1:] for f in FORGED], ids=[f[0] for f in FORGED])
def test_a_game_that_is_not_of_its_task_is_found_out(form: str, change: Change, what: str) -> None:
    raw = paper_game(form)
    change(raw)
    assert what in " | ".join(d.detail for d in found(raw) if d.code == "wrong_task")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (at("config.difficulty", "hard"), "other_difficulty"),
        (at("config.difficulty", "trivial"), "other_difficulty"),
        (at("config.max_turns_per_round", 1), "other_rules"),
        (at("config.decision_retries", 0), "other_rules"),
        (at("config.dm_cap", 100), "other_rules"),
        (at("config.dm_cap", 100_000_000), "other_rules"),
        (at("config.channels", ["dm", "group"]), "other_rules"),
        (at("config.dm_cap", 1_000_000), None),
    ],
)
def test_a_game_of_the_paper_s_task_by_other_rules_or_of_another_difficulty_is_a_note(
    change: Change, code: str | None
) -> None:
    raw = paper_game("standard")
    change(raw)
    assert [(d.code, d.severity) for d in found(raw)] == ([(code, NOTE)] if code else [])


def test_a_word_of_one_s_own_for_a_difficulty_is_that_of_one_s_own_list(tmp_path: Path) -> None:
    raw = paper_game("standard")
    raw["config"]["difficulty"] = "trivial"
    [told] = found(raw)
    assert told.severity == NOTE and "name that list with --suite" in told.detail
    assert found(raw, PAPER_SUITE, write_suite(tmp_path / "own.csv", [raw])) == []


def test_as_many_errands_are_blocked_as_the_list_says(tmp_path: Path) -> None:
    first = msgspec.structs.replace(read_list(PAPER_SUITE)[0], task_id="mine")
    parameters = msgspec.structs.replace(first.parameters, blocked_errands=3)
    blocking = msgspec.structs.replace(first, parameters=parameters)
    free, raw = (
        msgspec.json.decode(encoded(play_game(Play(task, named_teams()["imap"]))))
        for task in (make_task(first), make_listed_task(blocking, blocked=True))
    )
    assert found(raw, write_suite(tmp_path / "own.csv", [free], blocked_errands=3)) == []
    assert found(raw, write_suite(tmp_path / "other.csv", [free], blocked_errands=2)) != []


BLOCKING = {"num_agents": 4, "num_slots": 20, "density": 0.8, "blocked_errands": 1}


@pytest.mark.parametrize("world", [BLOCKING, BLOCKING | {"prior_meetings": 1}])
@pytest.mark.parametrize(("name", "number"), [("mine", 1), ("mine_blocked1", None)])
def test_a_list_may_have_the_digest_of_calendars_with_blocked_errands(
    world: dict[str, Any], name: str, number: int | None, tmp_path: Path
) -> None:
    mine = msgspec.structs.replace(entry(16, **world), task_id="mine")
    raw = json.loads(encoded(play_game(Play(make_listed_task(mine, blocked=False), named_teams()["imap"]))))
    listed = write_suite(tmp_path / "own.csv", [raw], task_id=name, blocked_errands=number)
    assert found(raw, listed) == []
    raw["config"]["condition"] = "standard"
    assert [d.code for d in found(raw, listed)] == ["wrong_task"]


def test_whatever_digest_a_list_has_the_blocked_errands_are_those_of_the_draw(tmp_path: Path) -> None:
    raw = paper_game("misblocked")
    [told] = found(raw, write_suite(tmp_path / "own.csv", [raw], task_id=FIRST))
    assert told.code == "wrong_task" and "blocked slots" in told.detail


def test_a_task_of_no_list_is_a_note(tmp_path: Path) -> None:
    raw = raw_of("spoken")
    assert [(d.code, d.severity) for d in found(raw)] == [("unknown_task", NOTE)]
    assert found(raw, own_suite(tmp_path, "spoken")) == []


def test_a_list_without_digests_knows_the_seed_alone(tmp_path: Path) -> None:
    raw = raw_of("spoken")
    bare = write_suite(tmp_path / "bare.csv", [raw], calendars_sha256="")
    assert [d.code for d in found(raw, bare)] == ["unknown_task"]
    assert [d.code for d in found(raw, write_suite(tmp_path / "other.csv", [raw], seed=1))] == ["wrong_task"] * 2


@pytest.mark.parametrize(
    ("forget", "code"), [({}, "wrong_task"), ({"calendars_sha256": ""}, "unknown_task")], ids=["digest", "no digest"]
)
def test_other_slots_as_cheap_are_an_error_where_the_list_has_a_digest(
    forget: dict[str, str], code: str, tmp_path: Path
) -> None:
    raw = paper_game("standard")
    raw["config"]["scenario"]["optimal"]["assignments"]["1"] = 5
    assert [d.code for d in found(raw, write_suite(tmp_path / "own.csv", [raw], **forget))] == [code]
    assert ["optimal slots" in d.detail for d in found(raw)] == [True]


def test_a_list_with_a_column_twice_is_no_list(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("task_id,seed,seed\na,1,2\n", encoding="utf-8")
    with pytest.raises(SuiteError, match="a column twice"):
        read_suites([tmp_path / "list.csv"])


def test_of_several_tasks_of_a_name_one_must_fit(tmp_path: Path) -> None:
    raw = paper_game("standard")
    other = write_suite(tmp_path / "other.csv", [raw], seed=1, **{"calendars_sha256": "0" * 64})
    assert found(raw, other)
    assert not found(raw, other, PAPER_SUITE)
    assert known_of(raw)["calendars_sha256"] != read_suites([PAPER_SUITE])[FIRST][0].calendars_sha256


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["audit", "--workers", "1", *map(str, arguments)])


def test_the_command_takes_lists(tmp_path: Path) -> None:
    traces = [tmp_path / "a.json", tmp_path / "b.json"]
    traces[0].write_bytes(text_of("spoken"))
    traces[1].write_bytes(text_of("protocol"))
    unknown = run(*traces)
    assert (unknown.exit_code, unknown.stdout.count("note unknown_task")) == (0, 2)
    lists = [write_suite(tmp_path / f"{base}.csv", [raw_of(base)]) for base in ("spoken", "protocol")]
    known = run(*traces, "--suite", lists[0], "--suite", lists[1])
    assert (known.exit_code, known.stdout) == (0, "")


HEADER = "setting,task_id,seed,num_agents,density\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "holds no task"), ("task_id\nx\n", "line 2"), (f"{HEADER}u,x,s,1,1\n", "Expected `int`")],
)
def test_a_list_that_is_none_is_refused(tmp_path: Path, text: str, said: str) -> None:
    trace, listed = tmp_path / "a.json", tmp_path / "list.csv"
    trace.write_bytes(text_of("spoken"))
    listed.write_text(text, encoding="utf-8")
    done = run(trace, "--suite", listed)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())
    assert run(trace, "--suite", tmp_path / "nothing.csv").exit_code == 2


def test_a_game_with_meetings_on_the_calendars_from_the_start_is_replayed_with_its_optimum() -> None:
    raw = json.loads(encoded(play_game(Play(tiny_task(6, num_slots=9, prior_meetings=2), named_teams()["imap"]))))
    told = audit_trace(sealed(raw), "", read_suites([PAPER_SUITE])).divergences
    assert [d.code for d in told] == ["unknown_task"]
    raw["config"]["scenario"]["optimal"]["cost"] += 1
    assert "wrong_optimum" in [d.code for d in audit_trace(sealed(raw), "").divergences]


def test_a_longer_meeting_is_not_replayed() -> None:
    raw = json.loads(encoded(play_game(Play(tiny_task(6), named_teams()["imap"]))))
    raw["config"]["scenario"]["meetings"][0]["duration"] = 2
    (told,) = audit_trace(sealed(raw), "").divergences
    assert (told.code, "longer meetings are not replayed" in str(told)) == ("unreadable", True)
