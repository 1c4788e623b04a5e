"""A key that is planted somewhere turns up nowhere: not in traces, the cache, what a run prints, or an error."""

import html
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import yaml
from typer.testing import CliRunner

from sim.__main__ import app
from sim.game.trace import read
from sim.models.failures import call_error, redact, secrets
from sim.models.money import Ledger
from sim.models.provider import Provider
from sim.models.spec import LlmParameters
from sim.runs.teams import TeamError, load_team
from sim.tasks.suite import write_tasks
from tests.sim.stub import stub, with_choice
from tests.sim.worlds import tiny_task

KEY = 'sk-planted-"0123/456+789'
FORMS = [KEY, json.dumps(KEY)[1:-1], json.dumps(json.dumps(KEY))[3:-3], quote(KEY, safe=""), html.escape(KEY), KEY[:12]]
P = LlmParameters(model="m", api_key_env="STUB_KEY")


def found_in(data: bytes) -> list[str]:
    """The forms of the key, or a good part of it, that the bytes hold."""
    return [form for form in FORMS if form.encode() in data]


class Refusal(Exception):
    status_code = 401


@pytest.mark.parametrize("form", FORMS[:-1])
def test_a_key_is_not_cut_in_two(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUB_KEY", KEY)
    hidden = secrets(["STUB_KEY"])
    for before in range(320):
        error = call_error(Refusal("x" * before + form + " y"), P, hidden)
        assert found_in(str(error).encode()) == []


# One row a team's file with a key in it, and what is said.
PLANTED = [
    ("team: t\nagents:\n- type: llm\n  parameters: {model: m, api_key: KEY}\n", "no parameter api_key"),
    ("team: t\nagents:\n- type: llm\n  parameters: {model: m, extra: {api_key: KEY}}\n", "extra.api_key looks like"),
    ("team: t\nagents:\n- type: llm\n  parameters: {model: m, extra: {user: KEY}}\n", "extra.user looks like a secret"),
    ("team: t\nagents:\n- type: llm\n  parameters: {model: m, extra: {stop: [KEY]}}\n", "extra.stop[0] looks like"),
    (
        "team: t\nagents:\n- type: llm\n  parameters: {model: m, api_key_env: KEY}\n",
        "api_key_env is not the name of a variable",
    ),
    ("team: t\nagents:\n- type: llm\n  parameters: {model: KEY}\n", "model looks like a secret"),
    (
        "team: t\nagents:\n- type: llm\n  parameters: {model: m, api_base: 'http://h/v1?key=KEY'}\n",
        "api_base holds a ?",
    ),
    ("team: t\nagents:\n- type: llm\n  parameters: {model: m, timeout: KEY}\n", "Expected `float`, got `str`"),
    ("team: t\nagents:\n- type: imap\n  parameters: {api_key: KEY}\n", "no parameter api_key"),
    ("team: t\nagents:\n- type: llm\n  parameters: {api_key: KEY, : }\n", "in line 4"),
]


@pytest.mark.parametrize(("text", "said"), PLANTED)
def test_a_key_in_a_team_s_file_is_refused_and_not_repeated(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "team.yaml").write_text(text.replace("KEY", "sk-planted-0123456789"))
    with pytest.raises(TeamError) as refused:
        load_team(str(tmp_path / "team.yaml"))
    assert said in str(refused.value)
    assert found_in(str(refused.value).encode()) == []


def test_a_header_may_carry_a_key_by_its_variable_s_name(tmp_path: Path) -> None:
    team = "team: t\nagents:\n- type: llm\n  parameters: {model: m, headers_env: {X-Api-Key: GATEWAY_KEY}}\n"
    (tmp_path / "team.yaml").write_text(team)
    load_team(str(tmp_path / "team.yaml"))
    for value in ("sk-planted-0123456789", "Bearer abcdef", "0123456789abcdef", "abcdef0123456789"):
        (tmp_path / "team.yaml").write_text(team.replace("GATEWAY_KEY", value))
        with pytest.raises(TeamError, match=r"headers_env.X-Api-Key is not the name of a variable") as refused:
            load_team(str(tmp_path / "team.yaml"))
        assert value not in str(refused.value)


@pytest.mark.parametrize(
    ("more", "variable", "is_hidden"),
    [
        ({"api_key_env": "MINE"}, "MINE", True),
        ({}, "OPENAI_API_KEY", True),
        ({}, "COMETAPI_KEY", True),
        ({}, "AWS_BEARER_TOKEN_BEDROCK", True),
        ({}, "GIGACHAT_CREDENTIALS", True),
        ({"headers_env": {"X-Model": "TITLE"}}, "TITLE", False),
        ({}, "OPENAI_ORGANIZATION", False),
        ({"api_key_env": "MINE", "headers_env": {"Helicone-Auth": "HELICONE"}}, "HELICONE", True),
    ],
)
def test_what_may_be_a_key_is_taken_out_of_answers(
    more: dict[str, Any], variable: str, is_hidden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, KEY)
    provider = Provider([LlmParameters(model="openai/m", **more)], Ledger())
    assert (redact(KEY, provider.hidden) != KEY) == is_hidden


def test_no_word_of_an_answer_is_taken_for_a_key_that_its_team_does_not_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "BUILD_TOKEN", "TITLE"):
        monkeypatch.setenv(name, "ollama")
    named = {"api_base": "http://127.0.0.1:9", "headers_env": {"X-Title": "TITLE"}}
    provider = Provider([LlmParameters(model="ollama_chat/m", **named)], Ledger())
    assert redact("ollama_chat/m", provider.hidden) == "ollama_chat/m"


def test_a_key_is_hidden_without_the_scheme_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY", f"Bearer {KEY}")
    named = {"headers_env": {"Authorization": "GATEWAY"}}
    provider = Provider([LlmParameters(model="m", api_base="http://127.0.0.1:9", **named)], Ledger())
    assert found_in(redact(f"Invalid key: {KEY}", provider.hidden).encode()) == []


def test_of_what_is_no_key_no_part_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TITLE", "a study with agents")
    monkeypatch.setenv("BIG_SECRET", "a b " * 5_000)
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/home/me/account-0123456789.json")
    told = "404 no agents, no /home/me/account-0123456789.json"
    assert redact(told, secrets(["TITLE"])) == told


def everything(folder: Path) -> bytes:
    """The bytes of all files, those of traces unpacked."""
    traces = [repr(read(path)).encode() for path in folder.rglob("*.zst")]
    return b"".join([*traces, *(path.read_bytes() for path in folder.rglob("*") if path.is_file())])


def quoting(body: dict[str, Any]) -> dict[str, Any]:
    """The body with the key wherever a server may quote it, escaped, and where no text belongs."""
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
    actions = f'[{{"type": "dm", "to": 0, "content": "My key is {escaped}."}}]'
    content = f'{{"thinking": {json.dumps(KEY)}, "actions": {actions}}}'
    told = with_choice(body, content, reasoning_content=KEY, refusal=[KEY], annotations=KEY)
    return told | {"id": KEY, "model": KEY, "created": KEY, "service_tier": [KEY], "usage": body["usage"] | {"x": KEY}}


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["401", "no-json", quoting])
def test_a_run_leaves_no_byte_of_its_key_anywhere(fault: Any, tmp_path: Path) -> None:
    write_tasks([tiny_task(1, num_meetings=2)], tmp_path / "tasks.jsonl")
    odd = {"odd": fault} if callable(fault) else {}
    with stub(*(() if odd else (fault,)), stubborn=True, **odd) as server:
        prices = {"input": 1, "output": 1, "date": "2026-01-01"}
        given = {"model": "openai/stub", "api_base": server.address, "api_key_env": "STUB_KEY", "prices": prices}
        spec = {"type": "llm", "parameters": given | {"retries": 1, "backoff": 0.01}}
        (tmp_path / "team.yaml").write_text(yaml.safe_dump({"team": "stub", "agents": [spec]}))
        words = ["run", "tasks.jsonl", "--team", "team.yaml", "--out", "traces", "--cache", "answers"]
        environment = os.environ | {"STUB_KEY": KEY, "LITELLM_LOG": "DEBUG"}
        command = [sys.executable, "-m", "sim", *words]
        run = subprocess.run(command, capture_output=True, cwd=tmp_path, timeout=300, env=environment)
    assert b"games played" in run.stdout
    assert list((tmp_path / "traces").iterdir())
    assert found_in(run.stdout + run.stderr + everything(tmp_path)) == []


def test_what_a_file_says_does_not_steer_the_terminal(tmp_path: Path) -> None:
    write_tasks([tiny_task(1)], tmp_path / "tasks.jsonl")
    (tmp_path / "team.yaml").write_text('team: t\nagents:\n- {type: imap, parameters: {"\\e[31m": 1}}\n')
    words = ["run", str(tmp_path / "tasks.jsonl"), "--team", str(tmp_path / "team.yaml"), "--out", str(tmp_path / "t")]
    told = CliRunner().invoke(app, words).stderr
    assert "have no parameter \\x1b[31m" in told
    assert told[:-1].isprintable()
