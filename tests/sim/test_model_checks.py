import os
import subprocess
import sys
from contextlib import nullcontext

import pytest

from sim.models.cache import Unwritable, users_folder
from sim.models.checks import KeyMissing, addresses, check_access, check_models, is_address, key_of
from sim.models.library import imported
from sim.models.spec import LlmParameters
from tests.imports import ROOT


def test_a_missing_key_or_variable_is_named(monkeypatch):
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(KeyMissing, match="m: the environment variable SOME_KEY is not set"):
        key_of(LlmParameters(model="m", api_key_env="SOME_KEY"))
    with pytest.raises(KeyMissing, match="SOME_KEY"):
        check_access(LlmParameters(model="openai/m", needs_env=("SOME_KEY",)))
    monkeypatch.setenv("SOME_KEY", " abcdefgh \n")
    assert key_of(LlmParameters(model="m", api_key_env="SOME_KEY")) == "abcdefgh"


def test_addresses_and_headers_come_from_the_environment(monkeypatch):
    p = LlmParameters(model="openai/m", api_base_env="PLACES", headers_env={"X-Team": "TEAM_HEADER"})
    with pytest.raises(KeyMissing, match="PLACES is not set; export it with the server's address"):
        check_models([p])
    monkeypatch.setenv("PLACES", "http://a/v1, http://b/v1")
    assert addresses(p) == ("http://a/v1", "http://b/v1")
    with pytest.raises(KeyMissing, match="TEAM_HEADER is not set; export it with the value of the header X-Team"):
        check_models([p])
    for place, problem in (
        ("http://me:word@a/v1", "holds a user name, password"),
        ("http://a/v1?k=word", r"holds a \?"),
    ):
        monkeypatch.setenv("PLACES", f"http://b/v1,{place}")
        with pytest.raises(KeyMissing, match=f"an address in PLACES {problem}") as refused:
            addresses(p)
        assert "word@" not in str(refused.value) and "k=word" not in str(refused.value)


def test_a_key_that_litellm_looks_for_itself_is_missed_before_play(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(KeyMissing, match="set what it needs of ANTHROPIC_API_KEY in the environment"):
        check_models([LlmParameters(model="anthropic/claude-x")])
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-x")
    check_models([LlmParameters(model="anthropic/claude-x")])


# Variables in which LiteLLM looks for addresses of providers.
ADDRESSES = [
    *(("openai/m", "OPENAI_BASE_URL"), ("openai/m", "OPENAI_API_BASE"), ("vertex_ai/m", "VERTEXAI_API_BASE")),
    *(("vertex_ai/m", "VERTEX_API_BASE"), ("mistral/m", "MISTRAL_AZURE_API_BASE"), ("huggingface/m/n", "HF_API_BASE")),
    *(("bedrock/m", "AWS_BEDROCK_RUNTIME_ENDPOINT"), ("watsonx/m", "WML_URL"), ("ai21/m", "AI21_API_BASE")),
    *(("ollama_chat/m", "OLLAMA_API_BASE"), ("text-completion-openai/m", "OPENAI_BASE_URL")),
]


@pytest.mark.parametrize(("model", "name"), ADDRESSES)
def test_the_variables_are_known_that_hold_a_provider_s_address(model, name):
    assert is_address(name, LlmParameters(model=model))
    assert not is_address(name, LlmParameters(model="xai/m"))
    assert not is_address("AZURE_OPENAI_ENDPOINT", LlmParameters(model="openai/m"))


def test_an_address_that_the_environment_alone_gives_is_asked_only_when_the_team_names_it(monkeypatch):
    check_access(LlmParameters(model="openai/m"))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(KeyMissing, match="openai/m: OPENAI_BASE_URL is set, so another server would be asked"):
        check_access(LlmParameters(model="openai/m"))
    for named in (
        {"api_base_env": "OPENAI_BASE_URL"},
        {"needs_env": ("OPENAI_BASE_URL",)},
        {"api_base": "http://127.0.0.1:8/v1"},
    ):
        check_access(LlmParameters(model="openai/m", **named))


def test_a_model_without_its_provider_is_refused():
    with pytest.raises(KeyMissing, match="gpt-x: write its provider before it, like openai/gpt-x"):
        check_access(LlmParameters(model="gpt-x"))
    check_access(LlmParameters(model="gpt-x", api_base="http://127.0.0.1:8/v1"))


def test_no_proxy_that_the_environment_alone_names_is_asked(monkeypatch):
    monkeypatch.setenv("USE_LITELLM_PROXY", "true")
    monkeypatch.setenv("LITELLM_PROXY_API_BASE", "http://127.0.0.1:9/v1")
    provider = imported.__wrapped__().get_llm_provider("openai/m")
    assert provider[1] == "openai" and provider[3] != "http://127.0.0.1:9/v1"


SETTINGS = "litellm().drop_params, litellm().modify_params, litellm().route_all_chat_openai_to_responses"
TOLD = f"""
import os
from sim.models.checks import check_models
from sim.models.library import litellm
from sim.models.spec import LlmParameters
check_models([LlmParameters(model="openai/m", api_base="http://127.0.0.1:9/v1")])
print({SETTINGS}, litellm().constants.MIN_NON_ZERO_TEMPERATURE)
print(os.environ.get("OPENAI_BASE_URL"), os.environ["LITELLM_DROP_PARAMS"])
"""


@pytest.mark.slow
def test_no_setting_of_the_environment_changes_what_is_asked_or_whom(tmp_path):
    names = ("LITELLM_DROP_PARAMS", "LITELLM_MODIFY_PARAMS", "LITELLM_ROUTE_ALL_CHAT_OPENAI_TO_RESPONSES")
    (tmp_path / ".env").write_text("OPENAI_BASE_URL=http://127.0.0.1:9/v1\n")
    more = dict.fromkeys(names, "true") | {"MIN_NON_ZERO_TEMPERATURE": "0.5", "LITELLM_MODE": "DEV"}
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | more
    done = subprocess.run(
        [sys.executable, "-c", TOLD], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "False False False 0.0001\nNone true\n", done.stderr


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        ({"model": "openai/gpt-5-codex"}, True),
        ({"model": "openai/gpt-5.4-mini"}, False),
        ({"model": "openai/gpt-5.4", "extra": {"reasoning_effort": "low", "reasoning_summary": "auto"}}, True),
        ({"model": "openai/gpt-5.4-mini", "answer_format": "schema"}, False),
        ({"model": "openai/gpt-5.4-mini", "answer_format": "tools"}, True),
        ({"model": "openai/gpt-5.4-mini", "answer_format": "tools", "api_base": "http://127.0.0.1:8/v1"}, False),
    ],
)
def test_a_model_that_would_be_asked_by_another_interface_is_refused(monkeypatch, more, refused):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    with pytest.raises(KeyMissing, match="Responses API, which loses parameters") if refused else nullcontext():
        check_models([LlmParameters(**more)])


def test_a_token_may_stand_for_the_key_that_litellm_misses(monkeypatch):
    p = LlmParameters(model="azure/m", needs_env=("AZURE_API_BASE", "AZURE_API_VERSION"))
    for name in p.needs_env:
        monkeypatch.setenv(name, "https://127.0.0.1:9")
    monkeypatch.delenv("AZURE_API_KEY", raising=False)
    with pytest.raises(KeyMissing, match=r"set what it needs of AZURE_API_KEY or .* in the environment"):
        check_models([p])
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "x")
    check_models([p])
    with pytest.raises(KeyMissing, match="no key is looked for; name its variable in api_key_env"):
        check_models([LlmParameters(model="azure/m", api_base="https://127.0.0.1:9")])


def test_a_user_without_a_home_is_told_to_name_a_cache(monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("os.getuid", lambda: 2**31 - 7)
    with pytest.raises(Unwritable, match=r"no home folder .* name a folder with --cache"):
        users_folder()
