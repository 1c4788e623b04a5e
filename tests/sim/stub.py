"""The stub server in a thread of its own, for tests that go over HTTP."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sim.models.serve.misbehave import read_fault
from sim.models.serve.server import Stub, StubOptions
from sim.models.spec import LlmParameters

KEY = "sk-planted-0123456789abcdef"
# Nothing here takes so long, on no machine however busy: what takes longer hangs.
LIMIT = 60.0


@contextmanager
def stub(*faults: str, **options: Any) -> Iterator[Stub]:
    """A running stub with these faults; it remembers what it was sent, and is stopped at the end."""
    server = Stub(StubOptions(faults=tuple(map(read_fault, faults)), keep=True, **options))
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
