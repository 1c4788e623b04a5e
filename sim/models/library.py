"""LiteLLM, alike on every machine: no setting of its own reaches it from the environment, and nothing leaves by it
that its caller does not know of."""

import json
import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

# What it must find whenever it looks: no .env file, its own tables instead of the network's, no server that no team
# names, and nothing added to a request.
SETTINGS = {
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_REASONING_AUTO_SUMMARY": "False",
    "LITELLM_ANTHROPIC_DISABLE_URL_SUFFIX": "False",
    "USE_LITELLM_PROXY": "False",
}
# Its settings that it reads once, when it is imported: LITELLM_DROP_PARAMS would ask without parameters that a trace
# says were asked.
READ_ONCE = ("LITELLM_", "DEFAULT_", "MIN_", "MAX_")
# How an answer ends that is whole.
FINISHED = {
    *("stop", "eos", "eos_token", "stop_sequence", "end_turn", "complete", "completed"),
    *("tool_calls", "tool_use", "function_call"),
}
# Calls to this machine pass by every proxy.
LOOPBACK = ("localhost", "127.0.0.1", "::1")
# Whose messages may quote whole requests and answers; what matters of a failure is in the exception.
TALKATIVE = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "httpcore", "openai")


def litellm() -> Any:
    """LiteLLM, off the network until it is asked, and silent whatever filters of warnings were set since."""
    warnings.filterwarnings("ignore", module=r"(litellm|openai|pydantic|httpx|aiohttp)(\.|$)")
    return imported()


@cache
def imported() -> Any:
    """LiteLLM as this process imports it, once."""
    for name in ("no_proxy", "NO_PROXY"):
        listed = [place for place in os.environ.get(name, "").split(",") if place]
        os.environ[name] = ",".join(dict.fromkeys([*listed, *LOOPBACK]))
    with without_its_settings():
        import litellm as module
    module.suppress_debug_info = True
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    refuse_redirects()
    return module


async def completion(arguments: dict[str, Any]) -> Any:
    """LiteLLM's response to the call. It says "stop" also where the provider's word is none or unknown: then its first
    choice has that word again."""
    heard: list[dict[str, Any]] = []
    response = await litellm().acompletion(**arguments, logger_fn=heard.append)
    for choice in (getattr(response, "choices", None) or ())[:1]:
        fields = getattr(choice, "provider_specific_fields", None) or {}
        word = fields.get("native_finish_reason") or choice.finish_reason
        with suppress(ValueError, LookupError, TypeError, AttributeError):  # where its interface is another
            word = json.loads(heard[-1]["original_response"])["choices"][0].get("finish_reason")
        if is_finished(choice.finish_reason) and not is_finished(word):
            choice.finish_reason = word if isinstance(word, str) else None
    return response


def is_finished(word: Any) -> bool:
    """Whether an answer that ended by that word, a provider's or LiteLLM's, is whole."""
    return isinstance(word, str) and word.lower() in FINISHED


class Redirected(Exception):
    """A server sends a call on to another: its prompts and keys were meant for the first alone."""


def refuse_redirects() -> None:
    """Let every later client follow redirects to the same scheme, host and port only."""
    import httpx

    begin = httpx.AsyncClient.__init__

    def begin_guarded(self: httpx.AsyncClient, *args: Any, **options: Any) -> None:
        begin(self, *args, **options)
        self.event_hooks["response"].append(stay)

    async def stay(response: httpx.Response) -> None:
        to = response.request.url.join(response.headers.get("location", "")) if response.has_redirect_location else None
        here = response.request.url
        if to and (to.scheme, to.host, to.port) != (here.scheme, here.host, here.port):
            raise Redirected(f"the server sends calls on to {to.scheme}://{to.netloc.decode()}, which no team names")

    httpx.AsyncClient.__init__ = begin_guarded  # type: ignore[method-assign]


@contextmanager
def without_its_settings() -> Iterator[None]:
    """Meanwhile the environment holds none of them but ours, which stay."""
    hidden = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(READ_ONCE)}
    os.environ.update(SETTINGS)
    try:
        yield
    finally:
        os.environ.update(hidden | SETTINGS)
