"""Whole runs of `python -m sim run` whose agents ask the stub through LiteLLM, over HTTP on this machine."""

import json
import resource
import subprocess
import sys
from collections import Counter

import msgspec
import pytest
import yaml
from typer.testing import CliRunner

from sim.__main__ import app
from sim.game.trace import read
from sim.runs.runner import is_paid_whole
from sim.tasks.suite import write_tasks
from tests.sim.stub import LIMIT, parameters, stub
from tests.sim.worlds import tiny_task

# Pydantic, about a type of LiteLLM's, when a process first builds a response.
pytestmark = [
    pytest.mark.usefixtures("planted_key"),
    pytest.mark.filterwarnings("ignore:Item 'summary' on TypedDict class 'ChatCompletionReasoningItem'"),
]

FREE = {"input": 0, "output": 0, "date": "2026-01-01"}
DEAR = {"input": 1000, "output": 1000, "date": "2026-01-01"}
TASKS = [tiny_task(seed, num_meetings=2) for seed in (1, 2, 3)]
# What two plays of a game with a provider may differ in.
MOVING = {
    *("timestamp", "started_at", "ended_at", "latency_ms", "response_id", "from_cache", "record_sha256"),
}


@pytest.fixture
def folder(tmp_path):
    write_tasks(TASKS, tmp_path / "tasks.jsonl")
    return tmp_path


def run(folder, server, *words, out="traces", prices=FREE, **more):
    """The result of `python -m sim run` with a team that asks the stub."""
    asked = msgspec.to_builtins(parameters(server, **more)) | {"prices": prices}
    spec = {"type": "llm", "parameters": {k: v for k, v in asked.items() if v is not None}}
    (folder / "team.yaml").write_text(yaml.safe_dump({"team": "stub", "agents": [spec]}))
    args = [str(folder / "tasks.jsonl"), "--team", str(folder / "team.yaml"), "--out", str(folder / out), *words]
    return CliRunner().invoke(app, ["run", *args])


def traces(folder, out="traces"):
    return [read(p) for p in sorted((folder / out).glob("*.zst"))]


def still(value):
    """The value without what may move."""
    if isinstance(value, dict):
        return {k: still(v) for k, v in value.items() if k not in MOVING}
    return [still(v) for v in value] if isinstance(value, list) else value


def settled(trace):
    return still(json.loads(msgspec.json.encode(trace)))


def prompts(trace):
    return [e.data["prompt_sent"] for e in trace.events if e.type in ("turn_start", "decide_start")]


def read_as(trace):
    return Counter(e.data["parse"] for e in trace.events if e.type in ("turn_end", "decide_end"))


@pytest.mark.parametrize("option", ["--no-cache", "--cache"])
def test_nobody_is_asked_where_the_disk_takes_empty_files_alone(folder, option):
    words = [option, str(folder / "kept")] if option == "--cache" else [option]
    with stub() as server:
        assert run(folder, server, "--limit", "1", *words, out="elsewhere", prices=DEAR).exit_code == 0
        asked = len(server.seen)
        command = [sys.executable, "-m", "sim", "run", "tasks.jsonl", "--team", "team.yaml", "--out", "traces", *words]
        done = subprocess.run(command, cwd=folder, preexec_fn=tiny_files, capture_output=True, text=True)
        assert (done.returncode, len(server.seen)) == (2, asked), done.stderr
    assert "no trace can be written in traces (File too large): make room, or name another" in done.stderr
    assert not list(folder.rglob(".trial")) and not (folder / "traces").exists()


def tiny_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, 9_000))


def test_the_recorded_prompts_are_those_that_the_server_received(folder):
    with stub() as server:
        assert run(folder, server, "--limit", "1").exit_code == 0
    (trace,) = traces(folder)
    assert Counter(prompts(trace)) == Counter(b["messages"][-1]["content"] for b in server.seen)
    system = {e.data["system_prompt"] for e in trace.events if e.type == "agent_registered"}
    assert {b["messages"][0]["content"] for b in server.seen} <= system
    assert trace.metrics["coordination_rate"] == 1


# One row a fault of answers: how they are read, and whether meetings still come about.
SPOILED = [
    ("prose", "repaired: prose around the JSON", 1),
    ("fence", "repaired: code fence", 1),
    ("empty", "refused: the answer is empty", 0),
    ("filter-400", "refused: the provider's content filter held the answer back", 0),
    ("cut", "refused: the answer is cut off", 0),
]


@pytest.mark.parametrize(("kind", "how", "rate"), SPOILED, ids=[s[0] for s in SPOILED])
def test_spoiled_answers_leave_an_honest_trace(folder, kind, how, rate):
    with stub(kind, stubborn=True) as server:
        result = run(folder, server, "--limit", "1")
    assert result.exit_code == 0, result.stderr
    (trace,) = traces(folder)
    assert not trace.stopped
    assert any(found.startswith(how) for found in read_as(trace))
    assert "strict" not in read_as(trace)
    assert trace.metrics["coordination_rate"] == rate


def test_a_provider_that_fails_stops_games_and_the_run_says_why(folder):
    with stub("500:0.02", stubborn=True) as server:
        result = run(folder, server, retries=0)
    stopped = [t for t in traces(folder) if t.stopped]
    assert 0 < len(stopped) < 3
    assert result.exit_code == 4
    assert f"{3 - len(stopped)} games played" in result.stdout
    assert "games  cause" in result.stderr and "the stub fails on request" in result.stderr
    assert "the stub fails on request" in stopped[0].stop_cause


def test_no_game_begins_once_a_provider_is_given_up(folder):
    with stub("503", stubborn=True) as server:
        result = run(folder, server, "--concurrency", "2", retries=None, retry_for=0.3)
    assert result.exit_code == 4
    assert [t.stopped for t in traces(folder)] == [True, True]
    assert "1  not begun: openai/stub is down: 503 " in result.stderr


def test_two_teams_with_one_model_pay_once_for_a_question(folder):
    with stub(latency=5) as server:
        asked = msgspec.to_builtins(parameters(server)) | {"prices": FREE}
        spec = {"type": "llm", "parameters": {k: v for k, v in asked.items() if v is not None}}
        for name in ("one", "two"):
            (folder / f"{name}.yaml").write_text(yaml.safe_dump({"team": name, "agents": [spec]}))
        teams = [word for name in ("one", "two") for word in ("--team", str(folder / f"{name}.yaml"))]
        words = [*teams, "--out", str(folder / "traces"), "--cache", str(folder / "answers"), "--limit", "1"]
        result = CliRunner().invoke(app, ["run", str(folder / "tasks.jsonl"), *words])
        assert result.exit_code == 0, result.stderr
        kept = len(list((folder / "answers").rglob("*.json")))
        assert server.requests == kept
    one, two = (read(p) for p in sorted((folder / "traces").rglob("*.zst")))
    assert list(map(still, events(one))) == list(map(still, events(two)))


def events(trace):
    return json.loads(msgspec.json.encode(trace))["events"]


def test_resume_plays_what_is_missing_or_stopped(folder):
    with stub("500:0.02", stubborn=True) as server:
        run(folder, server, retries=0)
        stopped = sum(t.stopped for t in traces(folder))
        server.options = msgspec.structs.replace(server.options, faults=())
        result = run(folder, server, "--resume", retries=5, timeout=LIMIT + 1)
        assert result.exit_code == 0
        assert f"{stopped} games played, {3 - stopped} were there already" in result.stdout
        before = server.requests
        again = run(folder, server, "--resume")
        assert server.requests == before
        assert "0 games played, 3 were there already" in again.stdout


def test_a_replay_from_the_cache_is_the_same_game_without_a_request(folder, monkeypatch):
    with stub("500:0.1") as server:
        first = run(folder, server, "--cache", str(folder / "answers"), out="first")
        asked = server.requests
        monkeypatch.delenv("STUB_KEY")
        no_key = run(folder, server, "--cache", str(folder / "answers"), out="second")
        second = run(folder, server, "--cache", str(folder / "answers"), "--offline", out="second")
        assert server.requests == asked
    assert no_key.exit_code == 2 and "STUB_KEY is not set" in no_key.stderr
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert list(map(settled, traces(folder, "first"))) == list(map(settled, traces(folder, "second")))
    assert "0 answers from 0 requests" in second.stdout


def test_repeats_are_games_of_their_own_even_from_the_cache(folder):
    with stub() as server:
        run(folder, server, "--cache", str(folder / "answers"), "--limit", "1", "--repeats", "2", seed=5)
    assert {b["seed"] for b in server.seen} == {5, 6}
    assert len({t.game_id for t in traces(folder)}) == 2


def paid(trace):
    return sum(e.data["usage"]["cost_usd"] for e in trace.events if e.type in ("turn_end", "decide_end"))


def test_no_game_begins_that_the_budget_does_not_pay_for(folder):
    with stub() as server:
        assert run(folder, server, "--limit", "1", out="one", prices=DEAR).exit_code == 0
        usd = paid(traces(folder, "one")[0])
        before = server.requests
        nothing = run(folder, server, "--max-cost", f"{usd / 2:.2f}", prices=DEAR)
        assert server.requests == before
        assert nothing.exit_code == 4 and " left of the budget do not pay for a game" in nothing.stderr
        some = run(folder, server, "--max-cost", f"{usd * 20:.2f}", prices=DEAR)
    assert some.exit_code == 0
    assert [t.stopped for t in traces(folder)] == [False] * 3


def test_where_answers_can_t_be_kept_nobody_is_asked(folder):
    (folder / "mine").write_text("mine")
    with stub() as server:
        result = run(folder, server, "--cache", str(folder / "mine"))
        assert (result.exit_code, server.requests) == (2, 0)
    assert result.stderr.endswith("name another folder with --cache, or keep none with --no-cache\n")


def test_a_game_out_of_the_cache_says_nothing_of_what_games_cost(folder):
    with stub() as server:
        for out in ("one", "two"):
            assert run(folder, server, "--limit", "1", out=out, prices=DEAR).exit_code == 0
    assert [is_paid_whole(trace) for out in ("one", "two") for trace in traces(folder, out)] == [True, False]


def test_a_budget_that_is_used_up_all_the_same_ends_the_run_and_says_so(folder):
    with stub("no-usage", stubborn=True) as server:
        words = ("--max-cost", "150", "--concurrency", "1")
        result = run(folder, server, *words, prices=DEAR, max_tokens=100_000)
    (trace,) = traces(folder)
    assert result.exit_code == 4
    assert trace.stopped and "budget of 150.00 USD is used up" in trace.stop_cause
    assert trace.stop_category == "budget"
    assert "2  not begun: the run's budget of 150.00 USD is used up" in result.stderr


def test_a_budget_needs_prices(folder):
    with stub() as server:
        refused = run(folder, server, "--max-cost", "5", prices=None)
        allowed = run(folder, server, "--max-cost", "5", "--allow-unknown-prices", "--limit", "1", prices=None)
    assert (refused.exit_code, allowed.exit_code) == (2, 0)
    assert "the price of openai/stub is unknown" in refused.stderr
    assert "cost unknown" in allowed.stdout


def test_a_dry_run_asks_nobody_and_estimates(folder):
    with stub() as server:
        result = run(folder, server, "--dry-run", prices=DEAR)
        assert server.requests == 0
    assert result.exit_code == 0
    assert "3 games to play, 3 of them with language models" in result.stdout
    assert "USD (team, 2026-01-01)" in result.stdout and "estimated by playing" in result.stdout
    assert not (folder / "traces").exists()


def test_a_key_is_asked_for_before_anything_is_played(folder, monkeypatch):
    monkeypatch.delenv("STUB_KEY")
    with stub() as server:
        result = run(folder, server)
        assert server.requests == 0
    assert result.exit_code == 2
    assert result.stderr == "error: openai/stub: the environment variable STUB_KEY is not set; export it with the key\n"
    assert not (folder / "traces").exists()


def test_paid_answers_don_t_go_into_a_pack(folder):
    with stub() as server:
        result = run(folder, server, out="all.jsonl.zst")
    assert result.exit_code == 2 and "name a folder" in result.stderr


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--channels", "dm,phone"], "no channel 'phone'"),
        (["--channels", ","], "no channel is open"),
        (["--adversary", "3"], "no agent 3; name one from 0 to 2"),
    ],
)
def test_options_that_make_no_sense_are_refused(folder, words, problem):
    with stub() as server:
        result = run(folder, server, *words)
    assert result.exit_code == 2 and problem in result.stderr


def test_each_failure_of_a_call_is_a_line_of_a_file_beside_the_traces(folder):
    with stub("500:0.3", "429:0.3", "no-choices:0.3", "empty:0.3", arrivals=1) as server:
        assert run(folder, server, retries=None).exit_code == 0
    lines = [json.loads(line) for line in (folder / "traces" / "failures.jsonl").read_text().splitlines()]
    failed = [e.data["usage"]["failed_attempts"] for t in traces(folder) for e in t.events if e.data.get("usage")]
    assert len(lines) == sum(map(len, failed))
    assert {line["category"] for line in lines} == {"provider", "quota"}
    assert {line["model"] for line in lines} == {"openai/stub"} and all(line["time"] for line in lines)


def test_a_run_goes_on_where_the_server_has_another_address(folder):
    words = ("--cache", str(folder / "answers"))
    with stub() as server:
        assert run(folder, server, "--limit", "1", *words).exit_code == 0
    with stub() as other:
        result = run(folder, other, "--resume", *words)
    assert result.exit_code == 0, result.stderr
    assert "2 games played, 1 were there already" in result.stdout


def test_no_cache_leaves_nothing_and_contradicts_offline(folder):
    with stub() as server:
        refused = run(folder, server, "--offline", "--no-cache")
    assert refused.exit_code == 2 and "leave out one of them" in refused.stderr
