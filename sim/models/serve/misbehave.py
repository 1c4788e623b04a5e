"""How the stub server misbehaves on request: the faults of real providers, each under a name."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from hashlib import sha256
from typing import Any

from aiohttp import web
from msgspec import Struct

RETRY_AFTER = 1
DRIP_SECONDS = 0.25
HUGE = 1_000_000
# Tokens of an answer's reasoning.
THOUGHT = 2_000


class Fault(Struct, frozen=True):
    """A kind of misbehaviour, and the share of requests that it befalls."""

    kind: str
    rate: float = 1.0

    def befalls(self, body: bytes) -> bool:
        """Whether it befalls this request: always the same for the same request."""
        drawn = int.from_bytes(sha256(self.kind.encode() + body).digest()[:8]) / 2**64
        return drawn < self.rate


def read_fault(text: str) -> Fault:
    """A fault written as KIND or KIND:RATE. Raises ValueError, listing the kinds, for anything else."""
    kind, _, rate = text.partition(":")
    if kind not in KINDS:
        raise ValueError(f"there is no misbehaviour {kind!r}; known: {', '.join(KINDS)}")
    try:
        share = float(rate or 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ValueError(f"the rate of {text!r} is no number from 0 to 1; write it as {kind}:0.1")
    return Fault(kind, share)


def error(status: int, message: str, headers: Mapping[str, str] | None = None) -> web.Response:
    """An error as OpenAI's API words it."""
    body = {"error": {"message": message, "type": "stub_error", "param": None, "code": str(status)}}
    return web.json_response(body, status=status, headers=headers)


async def too_many(request: web.Request) -> web.StreamResponse:
    return error(429, "too many requests", {"Retry-After": str(RETRY_AFTER)})


async def too_many_until(request: web.Request) -> web.StreamResponse:
    until = datetime.now(UTC) + timedelta(seconds=RETRY_AFTER + 1)
    return error(429, "too many requests", {"Retry-After": format_datetime(until, usegmt=True)})


async def too_many_no_wait(request: web.Request) -> web.StreamResponse:
    """A quota that does not say when it is over."""
    return error(429, "too many requests")


async def unavailable(request: web.Request) -> web.StreamResponse:
    return error(503, "the stub is down")


async def overloaded(request: web.Request) -> web.StreamResponse:
    return error(529, "the stub is overloaded")


async def filtered(request: web.Request) -> web.StreamResponse:
    """A question that a content filter refuses, as an error."""
    message = "The response was filtered due to the prompt triggering the content management policy"
    body = {"error": {"message": message, "type": None, "param": "prompt", "code": "content_filter", "status": 400}}
    return web.json_response(body, status=400)


async def too_long(request: web.Request) -> web.StreamResponse:
    """A conversation that is refused for its length."""
    message = "This model's maximum context length is 8192 tokens; your messages resulted in 9000 tokens."
    body = {"error": {"message": message, "type": "invalid_request_error", "code": "context_length_exceeded"}}
    return web.json_response(body, status=400)


async def cut_body(request: web.Request) -> web.StreamResponse:
    """A response that breaks off: its beginning, under a status that says all is well."""
    return web.Response(
        text='{"id": "chatcmpl-cut", "object": "chat.completion", "choi', content_type="application/json"
    )


async def cut_stream(request: web.Request) -> web.StreamResponse:
    """A response whose connection is lost before it is whole."""
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "5000"})
    await response.prepare(request)
    await response.write(b'{"id": "chatcmpl-cut", "choi')
    if request.transport is not None:
        request.transport.close()
    return response


async def server_error(request: web.Request) -> web.StreamResponse:
    return error(500, "the stub fails on request")


async def bad_request(request: web.Request) -> web.StreamResponse:
    return error(400, "the stub refuses this request")


async def no_seed(request: web.Request) -> web.StreamResponse:
    """A model that takes no seed."""
    return error(400, "Unsupported parameter: 'seed' is not supported with this model.")


async def wrong_key(request: web.Request) -> web.StreamResponse:
    """A server that quotes the key it was given."""
    return error(401, f"wrong key: {request.headers.get('Authorization', 'none')}")


async def reset(request: web.Request) -> web.StreamResponse:
    """The connection is gone before an answer."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


async def drip(request: web.Request) -> web.StreamResponse:
    """An answer that begins at once and never gets anywhere."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    with suppress(ConnectionResetError):
        for _ in range(round(120 / DRIP_SECONDS)):
            await response.write(b" ")
            await asyncio.sleep(DRIP_SECONDS)
    return response


async def no_json(request: web.Request) -> web.StreamResponse:
    """A page of some gateway instead of an answer."""
    return web.Response(text="<html>a gateway's page</html>", content_type="text/html")


async def echo(request: web.Request) -> web.StreamResponse:
    """An answer that quotes the key in every part that may hold text."""
    key = request.headers.get("Authorization", "none")
    content = json.dumps({"thinking": key, "actions": [{"type": "dm", "to": 0, "content": f"My key is {key}."}]})
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    return web.json_response({"id": key, "object": "chat.completion", "model": key, "choices": [choice]})


def cut(content: str) -> str:
    """Three quarters of the answer."""
    return content[: len(content) * 3 // 4]


def prose(content: str) -> str:
    return f"Here is what I would do:\n\n{content}\n\nI hope that helps!"


def fence(content: str) -> str:
    return f"```json\n{content}\n```"


def empty(content: str) -> str:
    return ""


def types(content: str) -> str:
    return json.dumps({"thinking": 5, "actions": "none"})


def huge(content: str) -> str:
    return content + " and so on" * (HUGE // 10)


Responder = Callable[[web.Request], Awaitable[web.StreamResponse]]

RESPONSES: Mapping[str, Responder] = {
    "429": too_many,
    "429-date": too_many_until,
    "429-bare": too_many_no_wait,
    "503": unavailable,
    "529": overloaded,
    "500": server_error,
    "400": bad_request,
    "seed-400": no_seed,
    "401": wrong_key,
    "reset": reset,
    "drip": drip,
    "no-json": no_json,
    "cut-body": cut_body,
    "cut-stream": cut_stream,
    "filter-400": filtered,
    "context": too_long,
    "echo": echo,
}
CONTENTS: Mapping[str, Callable[[str], str]] = {
    "cut": cut,
    "prose": prose,
    "fence": fence,
    "empty": empty,
    "types": types,
    "huge": huge,
}
USAGES: Mapping[str, Any] = {"usage-below-0": -1_000_000, "usage-text": "many"}
BODIES = ("no-usage", "no-choices", "parts", "filter-200", "reasons", *USAGES)
KINDS = (*RESPONSES, *CONTENTS, *BODIES)


def spoil(kind: str, body: dict[str, Any]) -> dict[str, Any]:
    """The answer's body, spoiled; kinds that are no faults of a body leave it as it is."""
    if not body["choices"] or (kind in (*USAGES, "reasons") and "usage" not in body):
        return body
    if kind == "no-usage":
        return {k: v for k, v in body.items() if k != "usage"}
    if kind == "no-choices":
        return body | {"choices": []}
    if kind in USAGES:
        return body | {"usage": dict.fromkeys(body["usage"], USAGES[kind])}
    if kind == "reasons":
        return with_reasoning(body)
    if kind == "parts":
        return with_content(body, [{"type": "text", "text": content_of(body)}], "stop")
    if kind == "filter-200":
        return with_content(body, "", "content_filter")
    if kind in CONTENTS:
        return with_content(body, CONTENTS[kind](content_of(body)), "length" if kind == "cut" else "stop")
    return body


def with_reasoning(body: dict[str, Any]) -> dict[str, Any]:
    """The answer's body as of a model that reasons first, of a certain version."""
    [choice] = body["choices"]
    message = choice["message"] | {"reasoning_content": "Let me see.", "refusal": "not that"}
    thought = {"completion_tokens": THOUGHT + body["usage"]["completion_tokens"]}
    counts = body["usage"] | thought | {"completion_tokens_details": {"reasoning_tokens": THOUGHT}}
    provenance = {"model": "stub-2026-01-01", "system_fingerprint": "fp_stub", "usage": counts}
    return body | provenance | {"choices": [choice | {"message": message}]}


def content_of(body: dict[str, Any]) -> str:
    """The text of the answer's body."""
    return str(body["choices"][0]["message"]["content"])


def with_content(body: dict[str, Any], content: Any, reason: str) -> dict[str, Any]:
    """The answer's body with another content and reason to end."""
    [choice] = body["choices"]
    message = choice["message"] | {"content": content}
    return body | {"choices": [choice | {"message": message, "finish_reason": reason}]}
