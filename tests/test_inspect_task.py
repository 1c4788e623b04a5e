"""The benchmark as a task of Inspect, played by a model of Inspect's that gives the stub's answers."""

import json

import msgspec
import polars as pl
import pytest
from inspect_ai import eval as run_by_inspect
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from typer.testing import CliRunner

from pipeline.__main__ import app
from sim.game.trace import read
from sim.models.serve.negotiator import negotiate
from sim.runs.inspect_task import calbench, usage_of
from sim.tasks.suite import write_tasks
from tests.sim.conftest import planted_key
from tests.sim.stub import stub
from tests.sim.test_provider_runs import events, run, still
from tests.sim.worlds import tiny_task

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("planted_key"),
    pytest.mark.filterwarnings("ignore"),
]

__all__ = ["planted_key"]

TASKS = [tiny_task(seed, num_meetings=2) for seed in (1, 2)]
MODEL = "mockllm/simulated-negotiator"


def negotiator(messages, tools, tool_choice, config):
    """The stub's answer to the conversation, with counts of tokens as Inspect gives them."""
    output = ModelOutput.from_content(MODEL, negotiate([{"role": m.role, "content": m.text} for m in messages]))
    output.usage = ModelUsage(input_tokens=5, output_tokens=2, total_tokens=10, input_tokens_cache_read=3)
    return output


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inspect")
    write_tasks(TASKS, folder / "tasks.jsonl")
    model = get_model(MODEL, custom_outputs=negotiator)
    task = calbench(str(folder / "tasks.jsonl"), team="stub")
    (made,) = run_by_inspect(task, model=model, log_dir=str(folder), display="none")
    return made, folder


def without_usage(value):
    """Events without what the two paths may differ in: usage, and what else still() leaves out."""
    return [{**e, "data": {k: v for k, v in e["data"].items() if k != "usage"}} for e in map(still, value)]


def test_the_same_replies_make_the_same_games_as_our_own_driver(log, tmp_path):
    made, _ = log
    by_inspect = {s.id: s.store["calbench_trace"] for s in made.samples}
    write_tasks(TASKS, tmp_path / "tasks.jsonl")
    with stub() as server:
        assert run(tmp_path, server).exit_code == 0
    assert len(by_inspect) == len(TASKS)
    for task in TASKS:
        ours = events(read(tmp_path / "traces" / f"{task.task_id}.json.zst"))
        assert without_usage(by_inspect[task.task_id]["events"]) == without_usage(ours)


def test_scores_are_the_games_metrics_and_usage_counts_what_was_kept_too(log):
    made, _ = log
    assert {score.name: score.metrics["mean"].value for score in made.results.scores} == {
        "coordination_rate": 1.0,
        "excess_cost": pytest.approx(sum(s.store["metrics"]["excess_cost"] for s in made.samples) / len(TASKS)),
    }
    (usage, *_) = [
        e["data"]["usage"] for e in made.samples[0].store["calbench_trace"]["events"] if e["type"] == "turn_end"
    ]
    assert (usage["input_tokens"], usage["cached_input_tokens"], usage["output_tokens"]) == (8, 3, 2)


def test_derive_reads_the_log(log, tmp_path):
    _, folder = log
    result = CliRunner().invoke(app, ["derive", str(folder), "--out", str(tmp_path / "tables")])
    assert result.exit_code == 0, result.output  # tasks.jsonl, in the same folder, is passed over
    games = pl.read_parquet(tmp_path / "tables" / "games.parquet")
    assert set(games["task_id"]) == {t.task_id for t in TASKS} and games["simulated"].all()
    assert json.loads(msgspec.json.encode(games["team"].unique().to_list())) == ["stub"]


@pytest.mark.parametrize("content", [b"", b"PK nothing", b"{}"])
def test_what_is_no_log_is_rejected_in_one_line(tmp_path, content):
    (tmp_path / "a.eval").write_bytes(content)
    CliRunner().invoke(app, ["derive", str(tmp_path), "--out", str(tmp_path / "tables")])
    rejected = pl.read_parquet(tmp_path / "tables" / "rejected.parquet")
    assert rejected["reason"].to_list()[0].startswith("no log of Inspect that can be read")


def test_what_inspect_is_told_to_ask_makes_another_game(log, tmp_path):
    made, _ = log
    write_tasks(TASKS[:1], tmp_path / "tasks.jsonl")
    task, model = calbench(str(tmp_path / "tasks.jsonl"), team="stub"), get_model(MODEL, custom_outputs=negotiator)
    told = {"temperature": 0.9, "max_tokens": 800, "top_p": 0.5, "max_retries": 3}
    (other,) = run_by_inspect(task, model=model, log_dir=str(tmp_path), display="none", **told)
    before, after = (log.samples[0].store["calbench_trace"] for log in (made, other))
    assert before["game_id"] != after["game_id"]
    asked = after["config"]["agents"][0]["parameters"]
    assert [asked[name] for name in ("temperature", "max_tokens", "extra")] == [0.9, 800, {"top_p": 0.5}]


def test_no_count_of_inspect_s_is_kept_that_contradicts_another():
    output = ModelOutput.from_content(MODEL, "")
    output.usage = ModelUsage(input_tokens=5, output_tokens=2, total_tokens=7, reasoning_tokens=9, total_cost=1.0)
    usage = usage_of(MODEL, output)
    assert (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens) == (5, None, None)
    assert (usage.cost_usd, usage.priced_by) == (None, None)
