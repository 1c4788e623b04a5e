"""A stub of a provider: OpenAI's chat API on this machine only, answered by a simulated negotiator or judge.

It proves the path to a provider, and is none: what it answers says nothing about any model.
"""

from __future__ import annotations

import asyncio
import json
import signal
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from aiohttp import web
from msgspec import Struct

from sim.models.serve import negotiator
from sim.models.serve.misbehave import RESPONSES, Fault, error, spoil
from sim.models.serve.negotiator import STYLES, negotiate

HOST = "127.0.0.1"
MODEL = "stub"
LARGEST_REQUEST = 64 * 2**20


class StubOptions(Struct, frozen=True, kw_only=True):
    """How the stub behaves. `latency` in milliseconds; with `keep` it remembers what it was sent.

    A fault befalls the first `arrivals` of a request, so that a retry succeeds: one, of the HTTP kind, and all, of the
    others. `stubborn` lets every fault befall every arrival.
    """

    style: str = "plain"
    faults: tuple[Fault, ...] = ()
    stubborn: bool = False
    arrivals: int | None = None
    latency: float = 0.0
    keep: bool = False


class Stub:
    """A running stub: its address, how many requests came, and, where asked, their bodies and headers."""

    def __init__(self, options: StubOptions) -> None:
        known = (*STYLES, negotiator.STYLE)
        if options.style not in known:
            raise ValueError(f"there is no style {options.style!r}; known styles: {', '.join(known)}")
        self.options = options
        self.port = 0
        self.requests = 0
        self.seen: list[dict[str, Any]] = []
        self.arrivals: Counter[str] = Counter()
        self.runner: web.AppRunner | None = None

    @property
    def address(self) -> str:
        """Where it listens, as `api_base` wants it."""
        return f"http://{HOST}:{self.port}/v1"

    @property
    def judges(self) -> bool:
        """Whether it reads messages instead of negotiating."""
        return self.options.style == negotiator.STYLE

    async def start(self, port: int = 0) -> None:
        """Listen on the port, 0 for any free one. Raises OSError where it is taken."""
        app = web.Application(client_max_size=LARGEST_REQUEST)
        app.router.add_post("/v1/chat/completions", self.complete)
        app.router.add_get("/v1/models", self.models)
        self.runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await self.runner.setup()
        site = web.TCPSite(self.runner, HOST, port)
        await site.start()
        self.port = self.runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening, and drop what is still open."""
        if self.runner is not None:
            await self.runner.cleanup()

    def lasts(self, digest: str, usual: int | None) -> bool:
        """Whether a fault befalls this arrival of the request, too; usually so many, None: all."""
        most = usual if self.options.arrivals is None else self.options.arrivals
        return self.options.stubborn or most is None or self.arrivals[digest] <= most

    async def models(self, request: web.Request) -> web.Response:
        """The one model that there is."""
        name = negotiator.MODEL if self.judges else MODEL
        return web.json_response({"object": "list", "data": [{"id": name, "object": "model", "owned_by": "stub"}]})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """One chat completion."""
        self.requests += 1
        raw = await request.read()
        try:
            body = json.loads(raw)
            messages = [in_text(message) for message in body["messages"]]
        except (ValueError, KeyError, TypeError, AssertionError):
            return error(400, "the request needs a list of messages")
        if self.options.keep:
            self.seen.append(body)
        body = body | {"messages": messages}
        digest = sha256(raw).hexdigest()
        self.arrivals[digest] += 1
        await asyncio.sleep(self.options.latency / 1000)
        faults = [f.kind for f in self.options.faults if f.befalls(raw) and (f.kind != "seed-400" or "seed" in body)]
        respond = next((RESPONSES[k] for k in faults if k in RESPONSES), None)
        if respond is not None and self.lasts(digest, 1):
            return await respond(request)
        if self.judges and (refusal := negotiator.refusal(str(body.get("model")))):
            return error(404, refusal)
        content = negotiator.judge(messages) if self.judges else negotiate(messages, self.options.style)
        answer = completion(body, digest, content)
        for kind in faults if self.lasts(digest, None) else ():
            answer = spoil(kind, answer)
        return web.json_response(answer)


def in_text(message: Any) -> dict[str, Any]:
    """The message with its content as text, where it came in parts, as of prompts that are marked for a cache. Raises
    AssertionError for what is no message."""
    assert isinstance(message, dict)
    content = message.get("content")
    parts = content if isinstance(content, list) else ()
    return message | {"content": "".join(str(part["text"]) for part in parts)} if parts else message


def completion(body: dict[str, Any], digest: str, content: str) -> dict[str, Any]:
    """The answer in OpenAI's form; a token counts as four characters."""
    asked = sum(len(str(m.get("content") or "")) for m in body["messages"])
    tokens = (max(1, asked // 4), len(content) // 4)
    message: dict[str, Any] = {"role": "assistant", "content": content}
    reason = "stop"
    if body.get("tools"):
        function = {"name": body["tools"][0]["function"]["name"], "arguments": content}
        call = {"id": "call_0", "type": "function", "function": function}
        message, reason = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    return {
        "id": f"chatcmpl-{digest[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": str(body.get("model", MODEL)),
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)},
    }


async def serve(stub: Stub, port: int, seconds: float | None, say: Callable[[str], None]) -> None:
    """Serve until SIGTERM, SIGINT, or the time is over."""
    await stub.start(port)
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, over.set)
    say(f"serving at {stub.address}; stop it with Ctrl-C or SIGTERM")
    try:
        async with asyncio.timeout(seconds):
            await over.wait()
    except TimeoutError:
        pass
    finally:
        await stub.stop()
    say(f"{stub.requests} requests answered")
