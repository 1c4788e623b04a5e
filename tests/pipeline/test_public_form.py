"""Traces in the public benchmark's form: what it wrote, what our games come out as, and what readers make of both."""

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from audit_bases import BASES, EVERYBODY, Raw, scripted, text_of
from test_show import called

from pipeline.derive.parallel import Recipe, derive
from pipeline.tables.paths import PAPER_SUITE
from pipeline.traces.audit.auditor import audit
from pipeline.traces.audit.divergences import ERROR
from pipeline.traces.ingest import ingest
from pipeline.traces.public_form import public_form
from pipeline.traces.records import Config, open_channels
from pipeline.traces.trace import decode_trace
from sim.game.trace import encoded
from sim.runs.play import Play, play_game
from sim.runs.teams import named_teams
from sim.tasks.lists import read_list
from sim.tasks.suite import make_task
from sim.tasks.task import Task

# What cannot be the same in a game of ours: the clock, and the oracle's shares, which public traces have of another of
# the cheapest schedules, replayed in a way that can cost more.
ELSEWISE = frozenset(
    ("timestamp", "oracle_per_agent_cost", "per_agent_excess_burden", "total_excess_burden", "oracle_cost_replayed")
) | {"oracle_cost", "excess_burden"}
COMPARED = ("events", "final_state", "metrics", "stopped")

# The 17 games that the public benchmark published: the start of the digest of all else in them, in its order.
PUBLISHED = {
    ("uniform", "dsm-private", "b042_medium_5a_3p_d0p6_c1_2"): "a6646a3de42bf1c2",
    ("uniform", "dsm-private", "b067_medium_5a_3p_d1p0_c1_3"): "1dbda0ef1d0426e7",
    ("uniform", "dsm-welfare", "b042_medium_5a_3p_d0p6_c1_2"): "c8051737df497909",
    ("uniform", "dsm-welfare", "b067_medium_5a_3p_d1p0_c1_3"): "16b1ef4bbd008587",
    ("uniform", "imap", "b042_medium_5a_3p_d0p6_c1_2"): "8bebc8fc805464a5",
    ("uniform", "imap", "b067_medium_5a_3p_d1p0_c1_3"): "ace2e6d0283edd50",
    ("uniform", "sd", "b042_medium_5a_3p_d0p6_c1_2"): "90ca08e71a894217",
    ("uniform", "sd", "b067_medium_5a_3p_d1p0_c1_3"): "0d92c4d53b3a7fec",
    ("varied", "dsm-private", "b042_medium_5a_3p_d0p6_c3_2"): "fc3875f667ebda1f",
    ("varied", "dsm-private", "b067_medium_5a_3p_d1p0_c3_3"): "6bc28354fce0f29c",
    ("varied", "dsm-welfare", "b042_medium_5a_3p_d0p6_c3_2"): "814f92356848e65f",
    ("varied", "dsm-welfare", "b052_easy_5a_3p_d0p8_c3_4"): "167fa3190ee6cd5d",
    ("varied", "dsm-welfare", "b067_medium_5a_3p_d1p0_c3_3"): "e3614c7c0b3b0b92",
    ("varied", "imap", "b042_medium_5a_3p_d0p6_c3_2"): "5bcb69228a8f3605",
    ("varied", "imap", "b067_medium_5a_3p_d1p0_c3_3"): "a0a90bf9314c5694",
    ("varied", "sd", "b042_medium_5a_3p_d0p6_c3_2"): "a4525b850c1c198b",
    ("varied", "sd", "b067_medium_5a_3p_d1p0_c3_3"): "406033ce0e7df287",
}


def without_elsewise(value: Any) -> Any:
    """The value without the fields that cannot be the same."""
    if isinstance(value, dict):
        return {name: without_elsewise(held) for name, held in value.items() if name not in ELSEWISE}
    return [without_elsewise(held) for held in value] if isinstance(value, list) else value


def digest(trace: Raw) -> str:
    compared = without_elsewise({name: trace[name] for name in COMPARED})
    return sha256(json.dumps(compared, ensure_ascii=False).encode()).hexdigest()[:16]


@cache
def listed_task(setting: str, task_id: str) -> Task:
    (entry,) = [e for e in read_list(PAPER_SUITE) if (e.setting, e.task_id) == (setting, task_id)]
    return make_task(entry)


@pytest.mark.parametrize(("setting", "team", "task_id"), PUBLISHED)
def test_a_protocol_s_game_is_the_published_one_event_for_event(setting: str, team: str, task_id: str) -> None:
    game = play_game(Play(listed_task(setting, task_id), named_teams()[team]))
    written = public_form(encoded(game))
    assert digest(written) == PUBLISHED[setting, team, task_id]
    assert written["config"]["experiment_run_id"] == f"{setting}_{team.replace('-', '_')}.{task_id}.0"


@pytest.mark.parametrize("base", BASES)
def test_a_public_trace_comes_out_as_it_went_in(base: str) -> None:
    once = public_form(text_of(base))
    again = public_form(json.dumps(once).encode())
    assert json.dumps(again) == json.dumps(once)


SAME_TABLES = ("messages", "moves", "items", "calendars")
SAME_OF_GAMES = ("meetings_scheduled", "realized_cost", "dms", "group_messages", "fairness", "stopped", "game_rules")
SAME_OF_AGENTS = ("agent", "nosy", "cost", "moves", "messages_sent", "messages_received", "chars_sent")
SAME_OF_ROUNDS = ("round", "coordinated", "slot", "cost", "batches_rejected", "decisions_failed", "rolled_back")


def told(text: bytes) -> dict[str, Any]:
    """What a trace tells, but for the places of its events."""
    rows = ingest(decode_trace(text), "t.json")
    same = {name: [row._replace(event_index=None) if hasattr(row, "event_index") else row for row in rows[name]]
            for name in SAME_TABLES}  # fmt: skip
    some = {"games": SAME_OF_GAMES, "agents": SAME_OF_AGENTS, "rounds": SAME_OF_ROUNDS}
    return same | {name: [[getattr(row, column) for column in columns] for row in rows[name]]
                   for name, columns in some.items()}  # fmt: skip


@pytest.mark.parametrize("base", BASES)
def test_the_public_form_tells_readers_the_same_game(base: str) -> None:
    own = text_of(base)
    assert told(json.dumps(public_form(own)).encode()) == told(own)


def errors_of(raw: Raw) -> list[str]:
    return [d.code for d in audit(json.dumps(raw).encode(), "t.json") if d.severity == ERROR]


@pytest.mark.parametrize("base", BASES)
def test_honest_games_in_the_public_form_have_no_error(base: str) -> None:
    assert errors_of(public_form(text_of(base))) == []


def counted_by_reader(raw: Raw) -> None:
    """Group messages counted once for each who reads them."""
    for holder in (raw["metrics"], raw["events"][-1]["data"]):
        holder["total_groupchat_messages_sent"] += 3
        holder["total_cheap_talk_messages"] += 3
        holder["efficiency"] = 99.0


def failures_told_otherwise(raw: Raw) -> None:
    """Failed decisions without their number of attempts, whose last rejection is not recorded."""
    for number, event in enumerate(raw["events"]):
        if event["type"] == "decision_failed":
            event["data"] = {"reason": "no valid batch"} | {k: v for k, v in event["data"].items() if k != "attempts"}
            assert raw["events"][number - 1]["type"] == "batch_rejected"
            raw["events"][number - 1] = None
    raw["events"] = [event for event in raw["events"] if event]


@pytest.mark.parametrize("change", [counted_by_reader, failures_told_otherwise])
def test_what_is_not_known_of_the_public_harness_is_no_error(change: Any) -> None:
    raw = public_form(encoded(scripted(dm_cap=None)))
    kinds = {event["type"] for event in raw["events"]}
    assert {"decision_failed", "batch_rolled_back", "all_groupchat_sent"} <= kinds
    change(raw)
    assert errors_of(raw) == []


def test_a_simulated_game_says_so_wherever_its_team_is_named() -> None:
    written = public_form(text_of("spoken"))
    assert written["config"]["simulated"] and written["metrics"]["team_model_label"] == "candid (simulated)"
    start = written["events"][0]["data"]
    assert set(start["agent_models"]) == {"candid (simulated)"} and EVERYBODY["type"] not in start.values()
    assert ingest(decode_trace(json.dumps(written).encode()), "t.json")["games"][0].simulated


@pytest.mark.parametrize(
    ("channels", "protocol", "expected"),
    [
        (None, None, None),
        (None, "dm", ("dm",)),
        (None, "dm+participant_groupchat", ("dm", "participant_groupchat")),
        (None, 7, None),
        (["all_groupchat", "dm"], "dm", ("dm", "all_groupchat")),
        ([], None, None),
    ],
)
def test_channels_are_read_from_either_form(channels: Any, protocol: Any, expected: Any) -> None:
    assert open_channels(channels, protocol) == expected
    config = msgspec.convert({"channels": channels, "communication_protocol": protocol}, Config)
    assert config.game_rules().endswith(", ".join(expected or ("dm",)))


def test_a_result_folder_is_written_whole_and_its_sidecars_are_passed_over_in_silence(tmp_path: Path) -> None:
    for base in ("protocol", "scripted"):
        (tmp_path / f"{base}.json").write_bytes(text_of(base))
    out = tmp_path / "results"
    done = called(
        "export", "--format", "calbench", tmp_path / "protocol.json", tmp_path / "scripted.json", "--out", out
    )
    assert done.exit_code == 0, done.output
    manifest = [json.loads(line) for line in (out / "_run_manifest.jsonl").read_text().splitlines()]
    names = {told["trace"] for told in manifest}
    assert {path.name for path in out.iterdir()} == names | {"_run_manifest.jsonl"} | {
        name.replace(".json", ".metadata.json") for name in names
    }
    for told in manifest:
        assert json.loads((out / told["trace"]).read_bytes())["game_id"] == told["game_id"]
        assert json.loads((out / told["trace"].replace(".json", ".metadata.json")).read_bytes()) == told
    derived = derive([out], tmp_path / "tables", Recipe(csv=False), workers=1)
    assert (derived.games, derived.rejected) == (2, ())
    assert called("audit", out).exit_code == 0
    said = called("derive", out, "--out", tmp_path / "again")
    assert said.exit_code == 0 and "passed over" not in said.output


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("a.json",), 2, "names no folder"),
        (("nothing.json", "--out", "out"), 2, "nothing.json does not exist"),
        (("a.json", "--out", "."), 2, "is the current folder"),
        (("a.json", "a.json.zst", "--out", "out"), 2, "two games are called"),
        (("a.json", "broken.json", "--out", "out"), 3, "broken.json: not JSON"),
    ],
)
def test_what_cannot_be_written_is_said_in_a_line(
    words: tuple[str, ...], code: int, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("a.json", text_of("protocol")), ("a.json.zst", text_of("protocol")), ("broken.json", b"{")):
        Path(name).write_bytes(text)
    done = called("export", "--format", "calbench", *words)
    assert done.exit_code == code and told in " ".join(done.output.split())
    assert Path("out").exists() == (code == 3)
