"""A question as a call of LiteLLM: where it goes, and with which arguments."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgspec

from sim.models.agent import Ask
from sim.models.attempts import addresses, headers_of, key_of
from sim.models.spec import LlmParameters, listed_addresses


def destination(p: LlmParameters) -> str:
    """Where the model's calls go: addresses, or the provider that LiteLLM's prefix names."""
    return p.api_base_env or ", ".join(listed_addresses(p)) or p.model.partition("/")[0]


def address_for(ask: Ask, p: LlmParameters, failed: int) -> str | None:
    """The address to ask, None for the provider's own: of several, the same one for a whole conversation, whose
    beginning it may have in memory, and the next one after each failure."""
    places = addresses(p)
    if not places:
        return None
    first = int.from_bytes(sha256(msgspec.json.encode(ask.messages[:2])).digest()[:8])
    return places[(first + failed) % len(places)]


def request(ask: Ask, p: LlmParameters, address: str | None) -> dict[str, Any]:
    """The arguments of LiteLLM's call: one attempt, no retries of its own, nothing that was not asked for."""
    optional = {
        "api_base": address,
        "api_key": key_of(p),
        "temperature": ask.temperature,
        "max_tokens": ask.max_tokens,
        "seed": ask.seed,
        "extra_headers": headers_of(p) or None,
        # LiteLLM would look for tools of its own proxy, which takes a package that nothing else here needs.
        "_skip_mcp_handler": True,
    }
    messages = marked(ask.messages) if marks_cache(p) else ask.messages
    given = {name: value for name, value in optional.items() if value is not None}
    return {"model": ask.model, "messages": messages, "timeout": p.timeout, "max_retries": 0, **given, **ask.extra}


def marks_cache(p: LlmParameters) -> bool:
    """Whether the prompt says what of it a provider may keep: Anthropic's models keep nothing unless told to."""
    return "claude" in p.model if p.mark_cache is None else p.mark_cache


def marked(messages: list[dict[str, str]]) -> list[dict[str, Any]]:
    """The conversation, the ends of what stays the same marked: the system prompt, and all up to the last message."""
    ends = {0, len(messages) - 1}
    return [
        message | {"content": [{"type": "text", "text": message["content"], "cache_control": {"type": "ephemeral"}}]}
        if place in ends
        else dict(message)
        for place, message in enumerate(messages)
    ]
