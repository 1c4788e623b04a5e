import os
import subprocess
import sys
from contextlib import nullcontext

import pytest

from sim.models.attempts import KeyMissing, key_of
from sim.models.checks import check_access, check_address, check_models
from sim.models.library import litellm
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


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("openai/m", "OPENAI_BASE_URL"),
        ("openai/m", "OPENAI_API_BASE"),
        ("anthropic/m", "ANTHROPIC_BASE_URL"),
        ("vertex_ai/m", "VERTEXAI_API_BASE"),
        ("vertex_ai/m", "VERTEX_API_BASE"),
        ("together_ai/m", "TOGETHER_AI_API_BASE"),
        ("mistral/m", "MISTRAL_AZURE_API_BASE"),
        ("bedrock/m", "AWS_BEDROCK_RUNTIME_ENDPOINT"),
        ("huggingface/m/n", "HF_API_BASE"),
        ("ollama_chat/m", "OLLAMA_API_BASE"),
        ("cohere_chat/m", "COHERE_API_BASE"),
    ],
)
def test_an_address_that_the_environment_alone_gives_is_asked_only_when_the_team_names_it(monkeypatch, model, name):
    check_address(LlmParameters(model=model))
    monkeypatch.setenv(name, "http://127.0.0.1:9/v1")
    with pytest.raises(KeyMissing, match=f"{model}: {name} is set, so another server would be asked"):
        check_address(LlmParameters(model=model))
    for named in ({"api_base_env": name}, {"needs_env": (name,)}, {"api_base": "http://127.0.0.1:8/v1"}):
        check_address(LlmParameters(model=model, **named))
    check_address(LlmParameters(model="xai/m"))


def test_a_model_without_its_provider_is_refused():
    with pytest.raises(KeyMissing, match="gpt-x: write its provider before it, like openai/gpt-x"):
        check_access(LlmParameters(model="gpt-x"))
    check_access(LlmParameters(model="gpt-x", api_base="http://127.0.0.1:8/v1"))


def test_no_proxy_that_the_environment_alone_names_is_asked(monkeypatch):
    monkeypatch.setenv("USE_LITELLM_PROXY", "true")
    monkeypatch.setenv("LITELLM_PROXY_API_BASE", "http://127.0.0.1:9/v1")
    provider = litellm.__wrapped__().get_llm_provider("openai/m")
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
        ({"model": "openai/responses/gpt-4o"}, True),
        ({"model": "openai/gpt-5.4-mini"}, False),
        ({"model": "openai/gpt-5.4-mini", "extra": {"reasoning_effort": "low"}}, False),
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
    for name in ("AZURE_API_BASE", "AZURE_API_VERSION"):
        monkeypatch.setenv(name, "https://127.0.0.1:9")
    monkeypatch.delenv("AZURE_API_KEY", raising=False)
    with pytest.raises(KeyMissing, match=r"set what it needs of AZURE_API_KEY or .* in the environment"):
        check_models([p])
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "x")
    check_models([p])
    with pytest.raises(KeyMissing, match="no key is looked for; name its variable in api_key_env"):
        check_models([LlmParameters(model="azure/m", api_base="https://127.0.0.1:9")])
