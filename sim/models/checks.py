"""What must hold before a model is asked: keys and packages are at hand; questions go where and as its team says."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.util import find_spec

from sim.game.game import CHANNELS
from sim.models.addresses import address_variables
from sim.models.attempts import KeyMissing, addresses, headers_of, key_of, variable
from sim.models.library import litellm
from sim.models.prompts.answer_format import format_arguments
from sim.models.spec import LlmParameters

# What LiteLLM takes as well, and misses all the same.
INSTEAD = {
    "AZURE_API_KEY": ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"),
    "AWS_ACCESS_KEY_ID": ("AWS_BEARER_TOKEN_BEDROCK",),
    "AWS_SECRET_ACCESS_KEY": ("AWS_BEARER_TOKEN_BEDROCK",),
}


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
    """Raises KeyMissing where a variable or a package that the model needs is missing, or one would lead elsewhere."""
    check_address(p)
    if p.model.startswith("azure") and addresses(p) and p.api_key_env is None:
        raise KeyMissing(
            f"{p.model}: where an address is given, no key is looked for; name its variable in api_key_env"
        )
    key_of(p)
    headers_of(p)
    for name in p.needs_env:
        variable(p, name, "what docs/models.md says of it")
    if p.model.startswith("vertex_ai/") and (find_spec("google") is None or find_spec("google.auth") is None):
        raise KeyMissing(f"{p.model}: Vertex AI needs a package; install it with `uv pip install google-auth`")


def check_address(p: LlmParameters) -> None:
    """Raises KeyMissing where the model has no provider's prefix, or LiteLLM would take an address from a variable that
    the team does not name: its answers would be kept and priced as the provider's own."""
    if "/" not in p.model and not addresses(p):
        raise KeyMissing(f"{p.model}: write its provider before it, like openai/{p.model}")
    for name in sorted(address_variables(p).difference(p.needs_env)):
        if os.environ.get(name) and not addresses(p):
            raise KeyMissing(
                f"{p.model}: {name} is set, so another server would be asked than the provider's own; name it in a "
                "team's YAML, in api_base_env (with its api_key_env) or, where it is the provider's, in needs_env; or "
                "unset it"
            )
