"""The stub of a provider in a thread of its own, with the misbehaviour of real ones, for tests that go over HTTP."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from hashlib import sha256
from typing import Any

from aiohttp import web
from msgspec import Struct

from sim.models.serve.server import Stub, error
from sim.models.spec import LlmParameters

KEY = "sk-planted-0123456789abcdef"
# Nothing here takes so long, on no machine however busy: what takes longer hangs.
LIMIT = 60.0
# Tokens of an answer's reasoning.
THOUGHT = 2_000
Body = dict[str, Any]


class Fault(Struct, frozen=True):
    """A kind of misbehaviour, and the share of requests that it befalls: always the same ones."""

    kind: str
    rate: float = 1.0

    def befalls(self, body: bytes) -> bool:
        drawn = int.from_bytes(sha256(self.kind.encode() + body).digest()[:8]) / 2**64
        return drawn < self.rate


def read_fault(text: str) -> Fault:
    kind, _, rate = text.partition(":")
    assert kind in FAILURES or kind in BODIES or kind.isdecimal(), kind
    return Fault(kind, float(rate or 1))


class StubOptions(Struct, frozen=True, kw_only=True):
    """How the stub behaves. A fault befalls the first `arrivals` of a request, so that a retry succeeds: one, where it
    is a failure, and all, where it spoils an answer; with `stubborn` every arrival. `odd` makes what it likes of every
    answer's body. `latency` in milliseconds."""

    style: str = "plain"
    faults: tuple[Fault, ...] = ()
    stubborn: bool = False
    arrivals: int | None = None
    odd: Callable[[Body], Body | web.Response] | None = None
    latency: float = 0.0


class OddStub(Stub):
    """A stub that misbehaves, and remembers what it was sent."""

    def __init__(self, options: StubOptions) -> None:
        super().__init__(options.style)
        self.options = options
        self.seen: list[Body] = []
        self.arrivals: Counter[bytes] = Counter()

    async def respond(self, request: web.Request, body: Body) -> web.StreamResponse:
        raw = await request.read()
        self.seen.append(json.loads(raw))
        self.arrivals[raw] += 1
        await asyncio.sleep(self.options.latency / 1000)
        faults = [f.kind for f in self.options.faults if f.befalls(raw) and (f.kind != "seed-400" or "seed" in body)]
        failing = next((kind for kind in faults if kind not in BODIES), None)
        if failing and self.lasts(raw, 1):
            return await FAILURES[failing](request) if failing in FAILURES else refusal(request, int(failing))
        response = await super().respond(request, body)
        assert isinstance(response, web.Response) and isinstance(response.body, bytes)
        answer: Body | web.Response = json.loads(response.body)
        for kind in faults if self.lasts(raw, None) else ():
            answer = BODIES[kind](answer) if kind in BODIES and isinstance(answer, dict) else answer
        answer = self.options.odd(answer) if self.options.odd and isinstance(answer, dict) else answer
        return answer if isinstance(answer, web.Response) else web.json_response(answer, status=response.status)

    def lasts(self, raw: bytes, default: int | None) -> bool:
        most = default if self.options.arrivals is None else self.options.arrivals
        return self.options.stubborn or most is None or self.arrivals[raw] <= most


def refusal(request: web.Request, status: int) -> web.Response:
    """An error of that status, which quotes the key."""
    key = request.headers.get("Authorization", "none")
    return error(status, f"the stub fails on request with {status}; the key was {key}")


async def wait_until(request: web.Request) -> web.StreamResponse:
    until = datetime.now(UTC) + timedelta(seconds=2)
    return error(429, "too many requests", {"Retry-After": format_datetime(until, usegmt=True)})


async def no_seed(request: web.Request) -> web.StreamResponse:
    return error(400, "Unsupported parameter: 'seed' is not supported with this model.")


async def too_long(request: web.Request) -> web.StreamResponse:
    return error(400, "This model's maximum context length is 8192 tokens; your messages resulted in 9000 tokens.")


async def filtered(request: web.Request) -> web.StreamResponse:
    """A question that a content filter refuses, as an error."""
    message = "The response was filtered due to the prompt triggering the content management policy"
    return web.json_response({"error": {"message": message, "code": "content_filter"}}, status=400)


async def reset(request: web.Request) -> web.StreamResponse:
    """The connection is gone before an answer."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def drip(request: web.Request) -> web.StreamResponse:
    """An answer that begins at once and never gets anywhere."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    with suppress(ConnectionResetError):
        for _ in range(480):
            await response.write(b" ")
            await asyncio.sleep(0.25)
    return response


async def no_json(request: web.Request) -> web.StreamResponse:
    """A page of some gateway instead of an answer."""
    return web.Response(text="<html>a gateway's page</html>", content_type="text/html")


async def cut_body(request: web.Request) -> web.StreamResponse:
    """A response that breaks off under a status that says all is well."""
    return web.Response(text='{"id": "chatcmpl-cut", "object": "chat.compl', content_type="application/json")


def with_choice(body: Body, content: Any = None, reason: str | None = None, **more: Any) -> Body:
    """The body with this content, reason to end, and fields of its message."""
    if not body["choices"]:
        return body
    [choice] = body["choices"]
    message = choice["message"] | ({} if content is None else {"content": content}) | more
    return body | {"choices": [choice | {"message": message, "finish_reason": reason or choice["finish_reason"]}]}


def content_of(body: Body) -> str:
    return "".join(str(choice["message"]["content"]) for choice in body["choices"])


def with_reasoning(body: Body) -> Body:
    """The body as of a model that reasons first, of a certain version."""
    given = THOUGHT + body["usage"]["completion_tokens"]
    counts = body["usage"] | {"completion_tokens": given, "completion_tokens_details": {"reasoning_tokens": THOUGHT}}
    told = body | {"model": "stub-2026-01-01", "system_fingerprint": "fp_stub", "usage": counts}
    return with_choice(told, reasoning_content="Let me see.", refusal="not that")


FAILURES: Mapping[str, Any] = {
    "429-date": wait_until,
    "seed-400": no_seed,
    "context": too_long,
    "filter-400": filtered,
    "reset": reset,
    "drip": drip,
    "no-json": no_json,
    "cut-body": cut_body,
}
BODIES: Mapping[str, Callable[[Body], Body]] = {
    "reasons": with_reasoning,
    "no-usage": lambda body: {name: value for name, value in body.items() if name != "usage"},
    "no-choices": lambda body: body | {"choices": []},
    "types": lambda body: with_choice(body, '{"thinking": 5, "actions": "none"}'),
    "huge": lambda body: with_choice(body, content_of(body) + " and so on" * 100_000),
    "empty": lambda body: with_choice(body, ""),
    "prose": lambda body: with_choice(body, f"Here is what I would do:\n\n{content_of(body)}\n\nI hope that helps!"),
    "fence": lambda body: with_choice(body, f"```json\n{content_of(body)}\n```"),
    "cut": lambda body: with_choice(body, content_of(body)[: len(content_of(body)) * 3 // 4], "length"),
}


@contextmanager
def stub(*faults: str, **options: Any) -> Iterator[OddStub]:
    """A running stub with these faults, written as KIND or KIND:RATE; any HTTP status is a kind."""
    server = OddStub(StubOptions(faults=tuple(map(read_fault, faults)), **options))
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result(LIMIT)
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(LIMIT)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(LIMIT)
        loop.close()


def parameters(server: Stub, **more: Any) -> LlmParameters:
    """How an agent asks the stub, with the planted key."""
    given = {"model": "openai/stub", "api_base": server.address, "api_key_env": "STUB_KEY", "backoff": 0.01}
    return LlmParameters(**(given | {"timeout": LIMIT, "retries": 2} | more))
