import asyncio
import json
from hashlib import sha256
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from pipeline.__main__ import app as pipeline
from pipeline.reports.batch.row import compute_rows
from pipeline.traces.audit.auditor import audit
from sim.__main__ import app
from sim.game.game import CHANNELS, Limits
from sim.game.trace import encoded, read
from sim.models.agent import Answer, Usage
from sim.models.prompts import load_variant
from sim.models.prompts.builders import NAMES
from sim.runs.play import Play, config_of, identity, play_game_later
from sim.runs.runner import build_waiting
from sim.runs.teams import AgentSpec, Team, with_prompts
from sim.tasks.suite import write_tasks
from tests.sim.stub import parameters, stub
from tests.sim.worlds import tiny_task

LAB = Path(__file__).with_name("lab_prompts.py")
DIGEST = sha256(LAB.read_bytes()).hexdigest()
TASK = tiny_task(1, num_agents=4, num_meetings=2, num_slots=8)
TEAM = Team("lab", (AgentSpec("llm", {"model": "m"}),))

# Pydantic, about a type of LiteLLM's, when a process first builds a response.
pytestmark = [
    pytest.mark.usefixtures("planted_key"),
    pytest.mark.filterwarnings("ignore:Item 'summary' on TypedDict class 'ChatCompletionReasoningItem'"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_tasks([TASK], Path("tasks.jsonl"))
    return tmp_path


def team_file(server, **more):
    """A team that asks the stub."""
    own = {name: getattr(parameters(server), name) for name in ("model", "api_base", "api_key_env")}
    agents = [{"type": "llm", "parameters": own | {"prices": {"input": 0, "output": 0, "date": "2026-01-01"}}}]
    Path("team.yaml").write_text(yaml.safe_dump({"team": "lab", "agents": agents} | more))
    return "team.yaml"


def run(*words, out="traces"):
    return CliRunner().invoke(app, ["run", "tasks.jsonl", *words, "--out", out])


def prompts(trace):
    return [e.data["prompt_sent"] for e in trace.events if e.type in ("turn_start", "decide_start")]


def test_a_whole_game_is_played_in_the_words_of_a_file(folder):
    with stub() as server:
        result = run("--team", team_file(server), "--prompts", str(LAB))
        assert result.exit_code == 0, result.stderr
        sent = [body["messages"] for body in server.seen]
    trace = read(folder / "traces" / f"{TASK.task_id}.json.zst")
    assert trace.metrics["coordination_rate"] == 1
    assert sorted(prompts(trace)) == sorted(messages[-1]["content"] for messages in sent)
    assert all("Called with: " in m["content"] for messages in sent for m in messages if m["role"] != "assistant")
    assert trace.config["prompts"] == [{"file_sha256": DIGEST, "variants": []}] * 4
    assert str(LAB) not in encoded(trace).decode()
    assert audit(encoded(trace), "t.json") == []


def test_a_team_file_may_name_the_prompts_and_the_row_does(folder):
    with stub() as server:
        assert run("--team", team_file(server), out="ours").exit_code == 0
        assert run("--team", team_file(server, prompts=str(LAB))).exit_code == 0
    for traces, origin in (("traces", f"from file, sha256 {DIGEST}"), ("ours", "ours, version 1")):
        assert CliRunner().invoke(pipeline, ["derive", traces, "--out", f"tables-{traces}"]).exit_code == 0
        (table,) = compute_rows(folder / f"tables-{traces}")
        assert f"lab, prompts: {origin}." in table.notes


class Meddler:
    """Answers for a model: writes to everybody at the beginning of a round, and never hands in a batch that passes."""

    async def answer(self, ask, parameters):
        everybody = [{"type": "dm", "to": agent, "content": "Slot 1?"} for agent in range(TASK.num_agents)]
        group = [{"type": channel, "content": "Slot 2?"} for channel in CHANNELS[1:]]
        begins = "=== ROUND" in ask.messages[-1]["content"]
        return Answer(json.dumps({"thinking": "", "actions": everybody + group if begins else []}), Usage(model="m"))


def meddled(**parameters):
    """A game in which every builder is called, and its agents."""
    team = with_prompts(Team("lab", (AgentSpec("llm", {"model": "m", **parameters}),)), str(LAB))
    play = Play(TASK, team, Limits(max_turns_per_round=3, decision_retries=1, channels=CHANNELS), adversary=0)
    agents = [build_waiting(spec, Meddler(), 0) for spec in play.specs]
    return asyncio.run(play_game_later(play, agents)), agents


def calls(text):
    """What the builders of a text were called with."""
    return [json.loads(line.removeprefix("Called with: ")) for line in text.split("\n") if "Called with: " in line]


def test_each_builder_is_called_as_the_public_benchmark_calls_it():
    trace, agents = meddled()
    meeting = TASK.meetings[0]
    listed = {"id": meeting.id, "participants": list(meeting.participants), "duration": 1}
    first, second = (meeting.speaker_order[i] for i in (0, 1))
    outsider = next(a for a in range(4) if a not in meeting.participants)
    protocol, (system,) = "+".join(CHANNELS), calls(agents[first].messages[0]["content"])
    figures = {"agent_id": first, "all_agent_ids": [0, 1, 2, 3], "num_agents": 4, "num_slots": 8}
    assert system == figures | {"decision_retries": 1, "communication_protocol": protocol}
    opening, turn, decision, retry = (calls(m["content"]) for m in agents[first].messages[1:9:2])
    label = opening[0]["meeting"]["private_label"]
    own = listed | {"private_label": label}
    assert opening == [{"meeting": own, "round": 0, "penalty": 0, "turn": 0, "protocol": protocol}]
    assert [(m["from"], m["meeting_id"], m["channel"]) for m in turn[0]["messages"]][:2] == [
        (second, meeting.id, "dm"), (second, meeting.id, "participant_groupchat"),
    ]  # fmt: skip
    assert (turn[0]["turn"], turn[0]["protocol"]) == (1, protocol)
    assert (decision, retry) == ([{"meeting": own}], [{"attempt": 1, "max_attempts": 2}])
    told = [m["content"] for m in agents[outsider].messages if m["role"] == "user"]
    assert "\n\n[1] From Agent " in told[0] and [c["turn"] for c in calls(told[0])] == [0, 0]
    assert calls(told[0])[0]["meeting"] == listed and label not in told[0]
    assert next(calls(text) for text in told if "VOLUNTARY" in text) == [{"meeting": listed}]
    assert audit(encoded(trace), "t.json") == []


def test_a_variant_follows_the_file_s_system_prompt_after_a_line_end():
    _, agents = meddled(prompt_variant="polling")
    polling, nosy = load_variant("polling").text, load_variant("nosy-highpressure").text
    ends = [agent.messages[0]["content"].split('"communication_protocol": ')[1].split("\n", 1)[1] for agent in agents]
    assert ends == [f"{polling}\n{nosy}", polling, polling, polling]


def name_of_game(path):
    return identity(config_of(Play(TASK, with_prompts(TEAM, str(path)))))


def test_a_game_s_identity_holds_the_file_s_text_and_not_its_place_or_line_ends(tmp_path):
    copy, windows, other = (tmp_path / name for name in ("copy.py", "windows.py", "other.py"))
    text = LAB.read_bytes()
    copy.write_bytes(text)
    windows.write_bytes(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))
    other.write_bytes(text + b"\n# another\n")
    assert name_of_game(copy) == name_of_game(windows) == name_of_game(LAB)
    assert len({name_of_game(other), name_of_game(LAB), identity(config_of(Play(TASK, TEAM)))}) == 3


TEXT = LAB.read_text()
# One row a file that can't be used: what is wrong with it, its text, and what the one line says.
BROKEN = [
    ("no Python", "def (", "can't be run (SyntaxError: "),
    ("ends the program", "raise SystemExit", "can't be run (SystemExit: )"),
    ("lacks a builder", TEXT.replace("build_retry_message", "retry"), "has no build_retry_message; a file of prompts"),
]
for name, value in zip(NAMES, ("None", "''", "[]", "1", "b'x'", "' '"), strict=True):
    again = f"{TEXT}\ndef {name}(*_, **__): return "
    BROKEN.append((f"{name} raises", f"{again}{{}}['x']", f"{name} raises KeyError: 'x'; "))
    BROKEN.append((f"{name} returns no text", f"{again}{value}", f"{name} returns {value} and no text; "))


@pytest.mark.parametrize(("text", "words"), [b[1:] for b in BROKEN], ids=[b[0] for b in BROKEN])
def test_a_file_that_can_t_be_used_ends_the_run_before_the_first_call(folder, text, words):
    Path("bad.py").write_text(text)
    with stub() as server:
        result = run("--team", team_file(server), "--prompts", "bad.py")
        assert server.seen == []
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: bad.py: ") and result.stderr.count("\n") == 1
    assert words in result.stderr
    assert not Path("traces").exists()


# One row a use of prompts that makes no sense: the words after `run`, and what the one line says.
MISUSED = [
    (("--team", "team.yaml", "--prompts", "absent.py"), "absent.py: can't be read (No such file or directory); name a"),
    (("--team", "team.yaml", "--prompts", "."), ".: can't be read (Is a directory)"),
    (("--team", "empty.yaml"), "can't be read"),
    (("--team", "imap", "--prompts", str(LAB)), f"--prompts {LAB} is for models, and no --team names one"),
    (("--team", "scripted.yaml"), "scripted.yaml: prompts are for models, and none of its agents is one"),
]


@pytest.mark.parametrize(("words", "problem"), MISUSED, ids=[m[1][:20] for m in MISUSED])
def test_prompts_for_nobody_or_from_nowhere_are_refused_in_one_line(folder, words, problem):
    Path("scripted.yaml").write_text("team: mine\nprompts: x.py\nagents: [{type: imap}]\n")
    with stub() as server:
        text = Path(team_file(server)).read_text()
        Path("empty.yaml").write_text(f"{text}\nprompts: ''\n")
        result = run(*words)
        assert server.seen == []
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert problem in result.stderr


def test_a_group_chat_that_the_file_does_not_offer_is_refused(folder):
    text = TEXT.replace("You may write by {channels}", "Write").replace(", **game_config)", ")")
    Path("direct.py").write_text(text)
    with stub() as server:
        words = ("--team", team_file(server), "--prompts", "direct.py", "--limit", "1")
        assert run(*words).exit_code == 0
        result = run(*words, "--channels", "dm,all_groupchat", "--overwrite")
    assert (
        "direct.py: build_system_prompt does not name all_groupchat for the protocol dm+all_groupchat" in result.stderr
    )
