"""What a team says of a call: its form, its sampling, where it goes, and whether its answer is kept unasked."""

import json

import msgspec
import pytest
from jsonschema import Draft202012Validator

from machine.errors import UserError
from sim.models.agent import Ask
from sim.models.cache import Cache
from sim.models.prompts.answer_format import answer_schema, format_arguments
from sim.models.provider import marked, marks_cache
from sim.models.spec import LlmParameters, Prices, read_parameters
from sim.runs.teams import load_team
from tests.sim.stub import parameters, stub
from tests.sim.test_provider import HELLO, answers

pytestmark = pytest.mark.usefixtures("planted_key")


def test_anthropic_s_models_are_told_what_of_the_prompt_to_keep():
    assert [marks_cache(LlmParameters(model=m)) for m in ("anthropic/claude-x", "openai/gpt-x")] == [True, False]
    assert not marks_cache(LlmParameters(model="anthropic/claude-x", mark_cache=False))
    kept = marked([*HELLO, {"role": "assistant", "content": "yes"}, {"role": "user", "content": "go on"}])
    assert [isinstance(m["content"], list) for m in kept] == [True, False, False, True]
    assert kept[0]["content"][0]["text"] == "you schedule" and "cache_control" in kept[0]["content"][0]


def test_the_schema_takes_answers_of_the_open_channels_only():
    taken = Draft202012Validator(answer_schema(("dm",)))
    dm = {"type": "dm", "to": 1, "content": "hi"}
    put = {"type": "schedule", "meeting_id": 1, "slot": 4}
    assert taken.is_valid({"thinking": "", "actions": [dm, put]})
    assert not taken.is_valid({"thinking": "", "actions": [{"type": "all_groupchat", "content": "hi"}]})
    assert not taken.is_valid({"thinking": "", "actions": [dm | {"mood": 1}]})
    assert not taken.is_valid({"actions": []})


@pytest.mark.parametrize("answer_format", ["schema", "tools"])
def test_an_answer_held_to_a_form_is_asked_for_by_it(answer_format, monkeypatch):
    with stub() as server:
        p = parameters(server, answer_format=answer_format)
        asked = Ask(model=p.model, messages=HELLO, extra=format_arguments(answer_format, ("dm",)))
        monkeypatch.setattr("tests.sim.test_provider.Ask", lambda **_: asked)
        (answer,) = answers(server, "hello", answer_format=answer_format)
        (body,) = server.seen
    assert json.loads(answer.whole)["actions"] == []
    assert ("response_format" in body, "tools" in body) == (answer_format == "schema", answer_format == "tools")


def test_a_preset_stands_for_its_parameters_and_what_is_given_holds():
    p = read_parameters({"model": "m", "preset": "paper", "max_tokens": 100})
    assert (p.temperature, p.max_tokens) == (0.7, 100)
    with pytest.raises(ValueError, match="no preset 'papre'; known presets: paper"):
        read_parameters({"model": "m", "preset": "papre"})


# One row a model's name as LiteLLM has it: the team's name, and whether it is simulated.
NAMES = [
    ("openrouter/meta-llama/llama-4", "meta-llama-llama-4", False),
    ("ollama/llama3:8b", "llama3-8b", False),
    ("openai/simulated-negotiator", "simulated-negotiator", True),
]


@pytest.mark.parametrize(("model", "name", "simulated"), NAMES)
def test_a_model_s_name_is_a_team(model, name, simulated):
    team = load_team(model)
    assert (team.team, team.simulated, team.agents[0].parameters) == (name, simulated, {"model": model})


@pytest.mark.parametrize("name", ["opneai/gpt-5.4-mini", "openai/", "teams/none"])
def test_a_name_of_no_provider_is_refused(name):
    with pytest.raises(UserError, match="no provider that LiteLLM knows; name a team"):
        load_team(name)


HERE = {"api_base": "http://127.0.0.1:8/v1"}
BY_VARIABLE = {"needs_env": ("AZURE_API_BASE",)}
FREE, PAID = {"prices": Prices(0, 0, None)}, {"prices": Prices(1, 2, None)}
# One row a model: whether the user's own cache keeps its answers unasked.
KEPT = [
    ({"model": "openai/m"}, True),
    ({"model": "openai/m"} | HERE, False),
    ({"model": "openai/m", "api_base_env": "SERVERS"}, False),
    ({"model": "openai/m", "needs_env": ("OPENAI_BASE_URL",)}, False),
    ({"model": "openai/m"} | HERE | PAID, True),
    ({"model": "openai/m"} | HERE | FREE, False),
    ({"model": "azure/m"} | HERE, True),
    ({"model": "azure/m"} | HERE | FREE, False),
    ({"model": "azure/gpt-5.4-mini"} | BY_VARIABLE, True),
    ({"model": "azure/gpt-5.4-mini"} | BY_VARIABLE | FREE, False),
    ({"model": "ollama/m"}, False),
    ({"model": "ollama/m"} | PAID, True),
    ({"model": "openai/simulated-negotiator"}, False),
]


@pytest.mark.parametrize(("given", "kept"), KEPT)
def test_only_what_providers_charge_for_is_kept_unasked(tmp_path, given, kept):
    assert Cache(tmp_path, paid_only=True).keeps(LlmParameters(**given)) == kept
    assert Cache(tmp_path).keeps(LlmParameters(**given))


# One row what `extra` may not say: that a call is none, or goes elsewhere or as somebody else.
RESERVED = [
    "api_base",
    "base_url",
    "model",
    "mock_response",
    "api_key",
    "extra_headers",
    "extra_query",
    "max_tokens",
    "n",
]
RESERVED += ["max_retries", "tools", "functions", "response_format", "seed", "models", "deployment_id", "ssl_verify"]
RESERVED += ["aws_bedrock_runtime_endpoint", "proxy_server_request", "drop_params", "no-log", "stream"]


@pytest.mark.parametrize("name", RESERVED)
def test_extra_parameters_can_t_replace_the_call(name):
    for extra in ({name: {"X-A": "b"}}, {name.upper(): "x"}, {"extra_body": {name: "x"}}):
        with pytest.raises(ValueError, match=rf"(?i)extra\.(extra_body\.)?{name} (would replace|looks like)"):
            read_parameters({"model": "openai/m", "extra": extra})


def test_an_answer_s_most_tokens_are_given_once():
    for extra in ({"max_completion_tokens": 5}, {"extra_body": {"max_completion_tokens": 5}}):
        with pytest.raises(ValueError, match="max_completion_tokens would replace"):
            read_parameters({"model": "m", "max_tokens": 5, "extra": extra})


HARMLESS = [{"max_completion_tokens": 5}, {"top_p": 1, "reasoning_effort": "low"}, {"extra_body": {"min_p": 0.1}}]


@pytest.mark.parametrize("extra", HARMLESS)
def test_harmless_extras_pass(extra):
    assert read_parameters({"model": "m", "extra": extra}).extra == msgspec.to_builtins(extra)
