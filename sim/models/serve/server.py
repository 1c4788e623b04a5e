"""A stub of a provider: OpenAI's chat API on this machine only, answered by a simulated negotiator or judge.

It proves the path to a provider, and is none: what it answers says nothing about any model.
"""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from aiohttp import web

from sim.models.serve import negotiator
from sim.models.serve.negotiator import STYLES, negotiate

HOST = "127.0.0.1"
MODEL = "stub"
LARGEST_REQUEST = 64 * 2**20


class Stub:
    """A stub: its address, and how many requests came. Raises ValueError where its style is none."""

    def __init__(self, style: str = "plain") -> None:
        known = (*STYLES, negotiator.STYLE)
        if style not in known:
            raise ValueError(f"there is no style {style!r}; known styles: {', '.join(known)}")
        self.style = style
        self.port = 0
        self.requests = 0
        self.runner: web.AppRunner | None = None

    @property
    def address(self) -> str:
        """Where it listens, as `api_base` wants it."""
        return f"http://{HOST}:{self.port}/v1"

    @property
    def judges(self) -> bool:
        """Whether it reads messages instead of negotiating."""
        return self.style == negotiator.STYLE

    async def start(self, port: int = 0) -> None:
        """Listen on the port, 0 for any free one. Raises OSError where it is taken."""
        app = web.Application(client_max_size=LARGEST_REQUEST)
        app.router.add_post("/v1/chat/completions", self.complete)
        app.router.add_get("/v1/models", self.models)
        self.runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await self.runner.setup()
        await web.TCPSite(self.runner, HOST, port).start()
        self.port = self.runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening, and drop what is still open."""
        if self.runner is not None:
            await self.runner.cleanup()

    async def models(self, request: web.Request) -> web.Response:
        """The one model that there is."""
        name = negotiator.MODEL if self.judges else MODEL
        return web.json_response({"object": "list", "data": [{"id": name, "object": "model", "owned_by": "stub"}]})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """One chat completion."""
        self.requests += 1
        try:
            body = json.loads(await request.read())
            body |= {"messages": [in_text(m) for m in body["messages"]]}
        except (ValueError, KeyError, TypeError, AssertionError):
            return error(400, "the request needs a list of messages")
        return await self.respond(request, body)

    async def respond(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        """The response to a request in good order."""
        if self.judges and (refusal := negotiator.refusal(str(body.get("model")))):
            return error(404, refusal)
        messages = body["messages"]
        content = negotiator.judge(messages) if self.judges else negotiate(messages, self.style)
        return web.json_response(completion(body, sha256(await request.read()).hexdigest(), content))


def error(status: int, message: str, headers: Mapping[str, str] | None = None) -> web.Response:
    """An error as OpenAI's API words it."""
    body = {"error": {"message": message, "type": "stub_error", "param": None, "code": str(status)}}
    return web.json_response(body, status=status, headers=headers)


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
