"""What a call of a model carries and what is kept of its answer, over HTTP on this machine."""

import asyncio
import json

import msgspec
import pytest
from jsonschema import Draft202012Validator

from machine.errors import UserError
from sim.agents import AgentFailure
from sim.models.agent import Answer, Ask, Usage
from sim.models.attempts import KeyMissing, addresses
from sim.models.cache import Cache
from sim.models.checks import check_models
from sim.models.money import Ledger
from sim.models.prompts.answer_format import answer_schema, format_arguments
from sim.models.provider import Provider
from sim.models.request import marked, marks_cache
from sim.models.spec import LlmParameters, Prices, read_parameters
from sim.runs.teams import load_team
from tests.sim.stub import LIMIT, parameters, stub

pytestmark = [
    pytest.mark.usefixtures("planted_key"),
    pytest.mark.filterwarnings("ignore:Item 'summary' on TypedDict class 'ChatCompletionReasoningItem'"),
]

TALK = [{"role": "system", "content": "you schedule"}, {"role": "user", "content": "hello there"}]


def ask(p, text="hello there", **more):
    return Ask(model=p.model, messages=[TALK[0], {"role": "user", "content": text}], **more)


def answered(p, *asks, log=None, store=None):
    """What becomes of each ask, all at once: an Answer, or an AgentFailure."""
    provider = Provider([p], Ledger(), store, *([log] if log else []))

    async def one(question):
        try:
            return await provider.answer(question, p)
        except AgentFailure as failure:
            return failure

    async def every():
        return await asyncio.gather(*map(one, asks))

    return asyncio.run(every())


@pytest.mark.slow
def test_a_trace_keeps_who_answered_and_the_reasoning_that_is_shown():
    with stub("reasons") as server:
        (answer,) = answered(parameters(server), ask(parameters(server)))
    usage = answer.usage
    assert (usage.model, usage.served_model, usage.system_fingerprint) == ("openai/stub", "stub-2026-01-01", "fp_stub")
    assert (usage.reasoning, usage.reasoning_tokens, usage.refusal) == ("Let me see.", 2000, "not that")
    assert usage.response_id.startswith("chatcmpl-") and not usage.from_cache


# One row a failure that lasts: of which category it is.
CATEGORIES = [
    ("500", "provider"),
    ("reset", "provider"),
    ("429-bare", "quota"),
    ("401", "key"),
    ("context", "context"),
    ("drip", "deadline"),
]


@pytest.mark.parametrize(("kind", "category"), CATEGORIES)
def test_a_failure_has_a_category(kind, category):
    with stub(kind, stubborn=True) as server:
        p = parameters(server, retries=0, timeout=0.5 if kind == "drip" else LIMIT)
        (failure,) = answered(p, ask(p))
    assert failure.category == category, failure


def test_a_wrong_key_is_asked_once_however_many_games_wait():
    with stub("401", stubborn=True) as server:
        p = parameters(server)
        failures = answered(p, *(ask(p, f"game {n}") for n in range(8)))
        assert server.requests == 1
    assert {f.category for f in failures} == {"key"}


def test_a_key_that_was_taken_once_lets_many_ask_at_once():
    with stub(latency=200) as server:
        p = parameters(server)
        provider = Provider([p], Ledger())

        async def both():
            await provider.answer(ask(p), p)
            began = asyncio.get_running_loop().time()
            await asyncio.gather(*(provider.answer(ask(p, f"game {n}"), p) for n in range(8)))
            return asyncio.get_running_loop().time() - began

        # One after the other would take 1.6 s at least, on any machine.
        assert asyncio.run(both()) < 1.6


def test_an_address_where_nothing_answers_is_named():
    with stub() as server:
        p = parameters(server, retries=0)
    (failure,) = answered(p, ask(p))
    assert f"Nothing answers at {p.api_base}; check the address" in str(failure)


def test_failures_are_told_one_by_one():
    log = []
    with stub("500") as server:
        p = parameters(server)
        answered(p, ask(p), log=log.append)
    (failure,) = log
    assert (failure.model, failure.category, failure.status) == ("openai/stub", "provider", 500)


def test_replicas_share_the_games_and_take_over_from_one_that_is_down():
    with stub() as one, stub() as other:
        p = parameters(one, api_base=(one.address, other.address))
        answers = answered(p, *(ask(p, f"game {n}") for n in range(12)))
        assert one.requests and other.requests and one.requests + other.requests == 12
        assert all(isinstance(a, Answer) for a in answers)
    with stub() as up:
        p = parameters(up, api_base=(up.address, one.address))
        assert all(isinstance(a, Answer) for a in answered(p, *(ask(p, f"game {n}") for n in range(4))))


def test_addresses_and_headers_come_from_the_environment(monkeypatch):
    p = LlmParameters(model="openai/m", api_base_env="PLACES", headers_env={"X-Team": "TEAM_HEADER"})
    with pytest.raises(KeyMissing, match="PLACES is not set; export it with the server's address"):
        check_models([p])
    monkeypatch.setenv("PLACES", "http://a/v1, http://b/v1")
    assert addresses(p) == ("http://a/v1", "http://b/v1")
    with pytest.raises(KeyMissing, match="TEAM_HEADER is not set; export it with the value of the header X-Team"):
        check_models([p])


def test_a_key_that_litellm_looks_for_itself_is_missed_before_play(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(KeyMissing, match="set what it needs of ANTHROPIC_API_KEY in the environment"):
        check_models([LlmParameters(model="anthropic/claude-x")])
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-x")
    check_models([LlmParameters(model="anthropic/claude-x")])


def test_anthropic_s_models_are_told_what_of_the_prompt_to_keep():
    assert [marks_cache(LlmParameters(model=m)) for m in ("anthropic/claude-x", "openai/gpt-x")] == [True, False]
    assert not marks_cache(LlmParameters(model="anthropic/claude-x", mark_cache=False))
    kept = marked([*TALK, {"role": "assistant", "content": "yes"}, {"role": "user", "content": "go on"}])
    assert ["cache_control" in m["content"][0] if isinstance(m["content"], list) else False for m in kept] == [
        True, False, False, True,
    ]  # fmt: skip
    assert kept[0]["content"][0]["text"] == "you schedule"


def test_the_schema_takes_answers_of_the_open_channels_only():
    taken = Draft202012Validator(answer_schema(("dm",)))
    dm = {"type": "dm", "to": 1, "content": "hi"}
    put = {"type": "schedule", "meeting_id": 1, "slot": 4}
    assert taken.is_valid({"thinking": "", "actions": [dm, put]})
    assert not taken.is_valid({"thinking": "", "actions": [{"type": "all_groupchat", "content": "hi"}]})
    assert not taken.is_valid({"thinking": "", "actions": [dm | {"mood": 1}]})
    assert not taken.is_valid({"actions": []})


@pytest.mark.parametrize("answer_format", ["schema", "tools"])
def test_an_answer_held_to_a_form_is_read_as_any_other(answer_format):
    with stub() as server:
        p = parameters(server, answer_format=answer_format)
        (answer,) = answered(p, ask(p, extra=format_arguments(answer_format, ("dm",))))
        (body,) = server.seen
    assert json.loads(answer.text)["actions"] == []
    assert ("response_format" in body, "tools" in body) == (answer_format == "schema", answer_format == "tools")


def test_a_preset_stands_for_its_parameters_and_what_is_given_holds():
    p = read_parameters({"model": "m", "preset": "paper", "max_tokens": 100})
    assert (p.temperature, p.max_tokens) == (0.7, 100)
    with pytest.raises(ValueError, match="no preset 'papre'; known presets: paper"):
        read_parameters({"model": "m", "preset": "papre"})


# One row a model's name as LiteLLM has it: the team's name, and whether it is simulated.
NAMES = [
    ("openai/gpt-5.4-mini", "gpt-5.4-mini", False),
    ("openrouter/meta-llama/llama-4", "meta-llama-llama-4", False),
    ("ollama/llama3:8b", "llama3-8b", False),
    ("openai/simulated-negotiator", "simulated-negotiator", True),
]


@pytest.mark.parametrize(("model", "name", "simulated"), NAMES)
def test_a_model_s_name_is_a_team(model, name, simulated):
    team = load_team(model)
    assert (team.team, team.simulated, team.agents[0].parameters) == (
        name, simulated, {"model": model},
    )  # fmt: skip


@pytest.mark.parametrize("name", ["opneai/gpt-5.4-mini", "openai/", "teams/none"])
def test_a_name_of_no_provider_is_refused(name):
    with pytest.raises(UserError, match="no provider that LiteLLM knows; name a team"):
        load_team(name)


# One row a model: whether the user's own cache keeps its answers unasked.
KEPT = [
    ({"model": "openai/gpt-5.4-mini"}, True),
    ({"model": "openai/m", "api_base": "http://localhost/v1"}, False),
    ({"model": "openai/m", "api_base_env": "PLACES"}, False),
    ({"model": "openai/m", "api_base": "http://localhost/v1", "prices": Prices(3.0, 15.0, None)}, True),
    ({"model": "openai/m", "api_base": "http://localhost/v1", "prices": Prices(0.0, 0.0, None)}, False),
    ({"model": "openai/simulated-negotiator"}, False),
]


@pytest.mark.parametrize(("given", "kept"), KEPT)
def test_only_what_providers_charge_for_is_kept_unasked(tmp_path, given, kept):
    assert Cache(tmp_path, paid_only=True).keeps(LlmParameters(**given)) == kept
    assert Cache(tmp_path).keeps(LlmParameters(**given))


def test_an_answer_kept_before_says_so(tmp_path):
    with stub() as server:
        p = parameters(server)
        (first,) = answered(p, ask(p), store=Cache(tmp_path))
        (again,) = answered(p, ask(p), store=Cache(tmp_path))
    usage = msgspec.structs.replace(first.usage, from_cache=True)
    assert again == msgspec.structs.replace(first, usage=usage) and isinstance(usage, Usage)
