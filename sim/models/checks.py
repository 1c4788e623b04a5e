"""Keys and addresses of models, and what must hold before one is asked: questions go where and as its team says."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from importlib.util import find_spec

from sim.game.game import CHANNELS
from sim.models import ModelError
from sim.models.library import litellm
from sim.models.prompts.answer_format import format_arguments
from sim.models.spec import LlmParameters, address_problem, listed_addresses

# What a server without keys is sent: the client insists on one.
NO_KEY = "none"
# What LiteLLM takes as well, and misses all the same.
INSTEAD = {
    "AZURE_API_KEY": ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"),
    "AWS_ACCESS_KEY_ID": ("AWS_BEARER_TOKEN_BEDROCK",),
    "AWS_SECRET_ACCESS_KEY": ("AWS_BEARER_TOKEN_BEDROCK",),
}
# LiteLLM looks for a provider's address in variables that begin with a word of the provider's name, or another, and end
# so; these words tell no provider from others.
ADDRESS = re.compile(r"(?:AWS_)?([A-Z][A-Z0-9]*?)(?:AI)?(?:_\w+)?_(?:API_BASE|BASE_URL|ENDPOINT|URL)")
OTHER_WORDS = {"huggingface": {"HF"}, "watsonx": {"WX", "WML"}}
COMMON_WORDS = {"AI", "CHAT", "TEXT", "COMPLETION", "MODEL", "RUNNER"}
# Providers whose servers are people's own.
LOCAL = {
    *("docker_model_runner", "hosted_vllm", "langflow", "langgraph", "lemonade", "litellm_proxy", "llamafile"),
    *("lm_studio", "ollama", "ollama_chat", "oobabooga", "vllm", "xinference"),
}
# Providers that give each customer an address, and deployments names of the customer's own.
ADDRESS_EACH = {
    *("azure", "azure_ai", "azure_text", "bedrock", "databricks", "datarobot", "gradient_ai", "snowflake"),
    *("vertex_ai", "watsonx", "watsonx_text"),
}


class KeyMissing(ModelError):
    """What a model needs before it can be asked: which variable or package, and what to do."""


def provider_of(p: LlmParameters) -> str:
    """The provider that the prefix of the model's name tells LiteLLM."""
    return p.model.partition("/")[0]


def variable(p: LlmParameters, name: str, use: str) -> str:
    """What the environment variable holds. Raises KeyMissing where it is not set."""
    value = os.environ.get(name, "").strip()
    if not value:
        raise KeyMissing(f"{p.model}: the environment variable {name} is not set; export it with {use}")
    return value


def key_of(p: LlmParameters) -> str | None:
    """The key of the model's provider. Raises KeyMissing where its variable is not set."""
    if p.api_key_env is None:
        return NO_KEY if addresses(p) else None
    return variable(p, p.api_key_env, "the key")


def headers_of(p: LlmParameters) -> dict[str, str]:
    """The headers that every call carries. Raises KeyMissing where a variable is not set."""
    return {header: variable(p, name, f"the value of the header {header}") for header, name in p.headers_env.items()}


def addresses(p: LlmParameters) -> tuple[str, ...]:
    """Where the model is served, if not at its provider's own address. Raises KeyMissing where the variable that lists
    the addresses is not set, or one holds what no address may."""
    if p.api_base_env is None:
        return listed_addresses(p)
    listed = variable(p, p.api_base_env, "the server's address, or several with commas").split(",")
    places = tuple(part.strip() for part in listed if part.strip())
    if problem := next(filter(None, map(address_problem, places)), None):
        raise KeyMissing(f"{p.model}: an address in {p.api_base_env} {problem}")
    return places


def is_address(name: str, p: LlmParameters) -> bool:
    """Whether LiteLLM may look for the address of the model's provider in the variable of that name."""
    provider = provider_of(p)
    words = {word for part in re.split("[_-]", provider.upper()) for word in (part, part.removesuffix("AI"))}
    found = ADDRESS.fullmatch(name)
    return found is not None and found[1] in (words | OTHER_WORDS.get(provider, set())) - COMMON_WORDS


def named_variables(p: LlmParameters) -> list[str]:
    """The variables of such addresses that the model's team names."""
    return sorted(name for name in p.needs_env if is_address(name, p))


def check_models(models: Iterable[LlmParameters]) -> None:
    """Raises KeyMissing where something is missing that a model needs: a variable of its team's, or, where the team
    names none, one that LiteLLM looks for itself; and where it could not be asked as its parameters say."""
    for p in models:
        check_access(p)
        if missing := unset(p):
            raise KeyMissing(
                f"{p.model}: set what it needs of {', '.join(missing)} in the environment, an address by a team's YAML "
                "(needs_env or api_base_env); see docs/models.md"
            )
        if is_bridged(p):
            raise KeyMissing(
                f"{p.model}: LiteLLM would ask it by OpenAI's Responses API, which loses parameters (seed); choose "
                "another model or, where it is for answer_format tools, schema or text"
            )


def unset(p: LlmParameters) -> list[str]:
    """The variables that LiteLLM misses of those in which it looks for what the model's team does not name."""
    if p.api_key_env is not None or addresses(p):
        return []
    missing = litellm().validate_environment(model=p.model)["missing_keys"]
    each = [(name, *INSTEAD.get(name, ())) for name in missing]
    return [" or ".join(names) for names in each if not any(map(os.environ.get, names))]


def is_bridged(p: LlmParameters) -> bool:
    """Whether LiteLLM asks the model by another interface than chat completions."""
    module = litellm()
    arguments = format_arguments(p.answer_format, CHANNELS) | p.extra
    try:
        model, provider, *_ = module.get_llm_provider(p.model)
    except Exception:  # whatever LiteLLM raises over a name, it raises again, and is told, when the model is asked
        return False
    asked = {name: arguments.get(name) for name in ("web_search_options", "tools", "reasoning_effort")}
    asked["reasoning_summary"] = module.utils.peek_reasoning_summary_aliases(p.extra)
    base = next(iter(addresses(p)), None)
    info, _ = module.main.responses_api_bridge_check(model=model, custom_llm_provider=provider, api_base=base, **asked)
    return bool(info.get("mode") == "responses")


def check_access(p: LlmParameters) -> None:
    """Raises KeyMissing where a variable or a package that the model needs is missing, or where one that the team does
    not name would lead elsewhere: answers would be kept and priced as the provider's own."""
    places = addresses(p)
    if "/" not in p.model and not places:
        raise KeyMissing(f"{p.model}: write its provider before it, like openai/{p.model}")
    for name in () if places else sorted(set(os.environ).difference(p.needs_env)):
        if is_address(name, p) and os.environ[name]:
            raise KeyMissing(
                f"{p.model}: {name} is set, so another server would be asked than the provider's own; name it in a "
                "team's YAML, in api_base_env (with its api_key_env) or, where it is the provider's, in needs_env; or "
                "unset it"
            )
    if p.model.startswith("azure") and places and p.api_key_env is None:
        raise KeyMissing(
            f"{p.model}: where an address is given, no key is looked for; name its variable in api_key_env"
        )
    key_of(p)
    headers_of(p)
    for name in p.needs_env:
        variable(p, name, "what docs/models.md says of it")
    if provider_of(p) == "vertex_ai" and (find_spec("google") is None or find_spec("google.auth") is None):
        raise KeyMissing(f"{p.model}: Vertex AI needs a package; install it with `uv pip install google-auth`")
