"""The parameters of an agent with a language model, checked. A team's YAML lists them (docs/models.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date as Date
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sim.models.library import litellm
from sim.models.prompts import FOLDER, Variant, VariantError, load_variant
from sim.models.prompts.answer_format import AnswerFormat
from sim.models.prompts.builders import origin

# What the name of a model begins with that is none, but a stub's negotiator or judge.
SIMULATED = "simulated-"


def is_simulated(model: str) -> bool:
    """Whether the name says that no model answers to it."""
    return model.rpartition("/")[2].startswith(SIMULATED)


SECRET_WORDS = ("key", "token", "secret", "password", "authorization", "credential")
LONG = 16  # characters, of what no text would hold by chance
VARIABLE = re.compile(r"[A-Za-z_]\w*")
# What `extra` may say of the names that LiteLLM has for a call's arguments: how to sample, and what it is for.
ALLOWED = {
    *("top_p", "stop", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs", "thinking"),
    *("reasoning_effort", "verbosity", "service_tier", "safety_identifier", "store", "prompt_cache_key", "user"),
    *("metadata", "parallel_tool_calls", "allowed_openai_params"),
}
# What other names may not hold: where a call goes and as whom, that it is none, and what would be dropped of it.
RESERVED = re.compile(
    r"api_?base|base_?url|endpoint|api_?key|header|query|proxy|organi[sz]ation|^models?$|^mock_|drop_params|^_"
)
# How the keys of well-known providers begin, and what stands before one in a header.
KEY = re.compile(r"\b(?:sk|pk|rk|ghp|gho|xoxb)[-_][-\w]{12,}|\bAIza[-\w]{20,}|\b(?:Bearer|Basic) \S{6,}")


class Prices(Struct, frozen=True, forbid_unknown_fields=True):
    """What a provider asks, in US dollars for a million tokens, and the day this was read.

    Cached input costs as much as other input where `cached_input` is None.
    """

    input: float
    output: float
    date: Date | None
    cached_input: float | None = None


class LlmParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How to reach a model, and what to ask of it.

    `model` is LiteLLM's name, with the provider's prefix; `api_base` another address than the provider's own, or
    several of servers that hold the same model, or `api_base_env` the environment variable that lists them. Variables
    with secrets are named, too, for a secret has no place here: `api_key_env` with the key, `headers_env` with the
    value of a header each; `needs_env` are others that must be set. `timeout` is a deadline in seconds for one attempt.
    After a failure that may pass, others follow for `retry_for` seconds, at most `retries` of them (None: any), the
    first after `backoff` seconds, doubled each time.
    `max_retry_after` is the longest wait, in seconds, that a server may ask for. `concurrency` and
    `requests_per_minute` limit all calls to one provider. `seed` is the sampling seed of the first repeat; repeat r
    asks with seed + r. `extra` goes to the model as it is. `answer_format` holds answers to a form by more than the
    prompt, and with `tell_problems` the model learns of answers that could not be read and messages that were not
    delivered. `mark_cache` marks what stays the same of a prompt for the provider's cache (None: where Anthropic's
    models are asked). `prompts` is a Python file whose builders word what the model is told (None: ours do).
    """

    model: str
    api_base: str | tuple[str, ...] | None = None
    api_base_env: str | None = None
    api_key_env: str | None = None
    headers_env: dict[str, str] = {}
    needs_env: tuple[str, ...] = ()
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    extra: dict[str, Any] = {}
    answer_format: AnswerFormat | None = None
    tell_problems: bool | None = None
    mark_cache: bool | None = None
    prompts: str | None = None
    prompt_variant: str | None = None
    adversary_variant: str = "nosy-highpressure"
    prompt_dir: str | None = None
    prices: Prices | None = None
    timeout: float = 120.0
    retry_for: float = 900.0
    retries: int | None = None
    backoff: float = 1.0
    max_retry_after: float = 600.0
    concurrency: int = 8
    requests_per_minute: float | None = None


# How a call is made but not what is asked: a game stays the same game when these change.
TRANSPORT = {
    *("api_base", "api_base_env", "api_key_env", "headers_env", "mark_cache", "needs_env", "prices", "timeout"),
    *("retry_for", "retries", "backoff", "max_retry_after", "concurrency", "requests_per_minute"),
}


# What public figures were probably made with: the public benchmark's own defaults. The paper prints none.
PRESETS: Mapping[str, Mapping[str, Any]] = {"paper": {"temperature": 0.7, "max_tokens": 4096}}


def listed_addresses(p: LlmParameters) -> tuple[str, ...]:
    """The addresses that the parameters themselves name."""
    return (p.api_base,) if isinstance(p.api_base, str) else p.api_base or ()


def asked(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that decide what is asked."""
    return {name: value for name, value in parameters.items() if name not in TRANSPORT}


def problem_of(p: LlmParameters) -> str | None:
    """What is wrong with the parameters' values, and what to do; None where nothing is."""
    for name in ("timeout", "retry_for", "backoff", "max_retry_after", "requests_per_minute"):
        value = getattr(p, name)
        if value is not None and not value > 0:
            return f"{name} is {value}; give a number above 0"
    for name, least in (("concurrency", 1), ("retries", 0), ("max_tokens", 1)):
        value = getattr(p, name)
        if value is not None and value < least:
            return f"{name} is {value}; give a whole number from {least}"
    if p.prices and min(p.prices.input, p.prices.output, p.prices.cached_input or 0) < 0:
        return "a price is below 0; give US dollars for a million tokens"
    if problem := next(filter(None, map(address_problem, listed_addresses(p))), None):
        return f"api_base {problem}"
    recorded = ("model", "api_base", "prompt_variant", "extra")
    return (
        misnamed(p) or secret_in({name: getattr(p, name) for name in recorded}, "") or reserved_in(p, p.extra, "extra")
    )


def address_problem(address: str) -> str | None:
    """What an address holds that it must not, as it would stand in traces and errors, and what to do."""
    if "@" in address:
        return "holds a user name, password or key; put it into the environment and name it with api_key_env"
    if "?" in address:
        return "holds a ?; leave out what follows: api_key_env names keys, AZURE_API_VERSION holds a version"
    return None


def reserved_in(p: LlmParameters, extra: Mapping[str, Any], place: str) -> str | None:
    """What the extra parameters, or those of `extra_body`, would replace of the call, and what to do."""
    taken = next((name for name in extra if is_reserved(p, name.lower().replace("-", "_"))), None)
    if taken:
        return f"{place}.{taken} would replace a part of the call; leave it out, or give the parameter of that use"
    inside = extra.get("extra_body")
    return reserved_in(p, inside, f"{place}.extra_body") if isinstance(inside, Mapping) else None


def is_reserved(p: LlmParameters, name: str) -> bool:
    """Whether a parameter of this name is one of the call itself, or of ours."""
    if name == "max_completion_tokens" and p.max_tokens is None:
        return False
    return name not in ALLOWED and bool(RESERVED.search(name) or name in own_names())


@cache
def own_names() -> frozenset[str]:
    """The names of our parameters, and of the arguments of LiteLLM's call."""
    module = litellm()
    named = [*signature(module.acompletion).parameters, *module.all_litellm_params]
    return frozenset(name.lower().replace("-", "_") for name in (*named, *LlmParameters.__struct_fields__))


def misnamed(p: LlmParameters) -> str | None:
    """Which name of a variable is none, and what to do; it may be the key itself, and is not repeated."""
    named = [("api_key_env", p.api_key_env), ("api_base_env", p.api_base_env), *(("needs_env", n) for n in p.needs_env)]
    named += [(f"headers_env.{header}", name) for header, name in p.headers_env.items()]
    place = next((place for place, name in named if name is not None and not is_variable(name)), None)
    return place and f"{place} is not the name of a variable; put the value into the environment, and write its name"


def secret_in(value: Any, place: str) -> str | None:
    """What in the value looks like a key, by its name or itself: it would then stand in every trace."""
    secret, inside = isinstance(value, str) and bool(KEY.search(value)), []
    if isinstance(value, Mapping):
        inside = [(f"{place}.{name}" if place else str(name), str(name), inner) for name, inner in value.items()]
    elif isinstance(value, list | tuple):
        inside = [(f"{place}[{i}]", "", inner) for i, inner in enumerate(value)]
    named = next((at for at, name, _ in inside if place and is_secret(name)), place if secret else None)
    if named:
        return f"{named} looks like a secret; put it into the environment and name it with api_key_env"
    return next((problem for at, _, inner in inside if (problem := secret_in(inner, at))), None)


def is_secret(name: str) -> bool:
    """Whether a field of this name holds a secret."""
    parts = name.lower().replace("-", "_").split("_")
    return any(word in parts or (word in name.lower() and word not in ("key", "token")) for word in SECRET_WORDS)


def is_variable(name: str) -> bool:
    """Whether this is a variable's name, and not what it should hold."""
    return bool(VARIABLE.fullmatch(name)) and ("_" in name or not is_like_a_key(name)) and not KEY.search(name)


def is_like_a_key(value: str) -> bool:
    """Whether the value is too long and odd to stand in a text by chance, and no path."""
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return bool(KEY.search(value)) or (len(value) >= LONG and mixed and not value.startswith(("/", "~")))


def variants_of(p: LlmParameters, nosy: bool) -> list[Variant]:
    """The variants appended to the system prompt, in order: the agent's own, then, if it probes, the adversary's."""
    names = [p.prompt_variant] if p.prompt_variant else []
    if nosy and p.adversary_variant not in names:
        names.append(p.adversary_variant)
    return [load_variant(name, Path(p.prompt_dir) if p.prompt_dir else FOLDER) for name in names]


def prompt_record(p: LlmParameters, nosy: bool) -> dict[str, Any]:
    """What a trace's configuration keeps of an agent's prompts: whose they are, and each variant's identity."""
    return {**origin(p.prompts), "variants": [v.record for v in variants_of(p, nosy)]}


def read_parameters(parameters: Mapping[str, Any], nosy: bool = False) -> LlmParameters:
    """The parameters, checked, their variants too; `preset` stands for a set of them, and what is given beside it
    holds. Raises ValueError with what is wrong and what to do."""
    if (preset := parameters.get("preset")) is not None:
        if preset not in PRESETS:
            raise ValueError(f"there is no preset {preset!r}; known presets: {', '.join(PRESETS)}")
        parameters = {**PRESETS[preset], **{name: v for name, v in parameters.items() if name != "preset"}}
    if parameters.get("answer_format") == "text":
        parameters = {**parameters, "answer_format": None}
    unknown = [name for name in parameters if name not in LlmParameters.__struct_fields__]
    if unknown:
        listed = ", ".join(LlmParameters.__struct_fields__)
        raise ValueError(f"agents of type llm have no parameter {unknown[0]}; they have: {listed}")
    try:
        checked = msgspec.convert(dict(parameters), LlmParameters)
        variants_of(checked, nosy)
    except (msgspec.ValidationError, VariantError) as error:
        raise ValueError(f"an agent of type llm can't be set up: {error}") from error
    if problem := problem_of(checked):
        raise ValueError(f"an agent of type llm can't be set up: {problem}")
    return checked
