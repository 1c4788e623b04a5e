"""Calls to providers through LiteLLM: limits, deadlines, retries, cache, and what it all costs.

The cache keeps answers by what was asked: the same question, the same answer, and nothing to pay.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from aiolimiter import AsyncLimiter
from msgspec import Struct
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from machine.files import write_atomically
from sim.agents import AgentFailure
from sim.game.trace import to_jsonable
from sim.models.agent import Answer, Ask, Usage
from sim.models.attempts import CallError, KeyMissing, call_error, key_of, redact, secrets, wait_before, written
from sim.models.money import Ledger, cost, presumed_cost, price_of
from sim.models.spec import LlmParameters, Prices


@cache
def litellm() -> Any:
    """LiteLLM, set up to stay off the network until it is asked, silent, and without reading a .env file."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    import litellm as module

    module.suppress_debug_info = True
    # Its messages may quote whole requests; what matters of a failure is in the exception.
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return module


class Entry(Struct, frozen=True):
    """One file of the cache: the SHA-256 of the question, the model, and the answer."""

    sha256: str
    model: str
    answer: Answer


def digest(ask: Ask) -> str:
    """The SHA-256 of all that was asked: model, conversation, parameters, and the repeat. No key is part of it."""
    return sha256(msgspec.json.encode(ask, order="deterministic")).hexdigest()


class Cache:
    """A folder with a JSON file for each answer."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        """Where the answer of that digest stands."""
        return self.folder / name[:2] / f"{name}.json"

    def get(self, name: str) -> Answer | None:
        """The answer, or None where there is none; a file that can't be read counts as none and is written anew."""
        try:
            entry = msgspec.json.decode(self.path(name).read_bytes(), type=Entry)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None
        return entry.answer if entry.sha256 == name else None

    def put(self, name: str, model: str, answer: Answer) -> None:
        """Keep the answer; its file appears whole or not at all."""
        write_atomically(self.path(name), [msgspec.json.encode(Entry(name, model, answer))])


class Lane:
    """The way to one provider: so many calls at once, so many a minute, none while it asks for a pause."""

    def __init__(self, concurrency: int, requests_per_minute: float | None) -> None:
        self.gate = asyncio.Semaphore(concurrency)
        # One at a time, evenly: a limiter that starts full lets twice its rate through in the first minute.
        self.limiter = AsyncLimiter(1, 60 / requests_per_minute) if requests_per_minute else None
        self.open_at = 0.0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn, and hold it."""
        async with self.gate:
            while (wait := self.open_at - asyncio.get_running_loop().time()) > 0:
                await asyncio.sleep(wait)
            if self.limiter:
                await self.limiter.acquire()
            yield

    def pause(self, seconds: float) -> None:
        """Let nobody through for so long."""
        self.open_at = max(self.open_at, asyncio.get_running_loop().time() + seconds)


class Provider:
    """Answers asks for all games of a run. `models` are the parameters of all its agents: the strictest limits of a
    provider hold for everybody who calls it."""

    def __init__(self, models: Iterable[LlmParameters], ledger: Ledger, store: Cache | None = None) -> None:
        self.models = list(models)
        self.ledger = ledger
        self.store = store
        self.hidden = secrets(p.api_key_env for p in self.models)
        own = {form for key in secrets_named(self.models) if key for form in written(key)}
        self.keys = [value for value in self.hidden if value in own]
        self.lanes: dict[str, Lane] = {}
        self.prices: dict[bytes, tuple[Prices, str] | None] = {}

    async def answer(self, ask: Ask, parameters: LlmParameters) -> Answer:
        """The answer, from the cache or from the provider. Raises AgentFailure where there is none."""
        name = digest(ask)
        if self.store and (kept := self.store.get(name)):
            self.ledger.of(ask.model).from_cache += 1
            return kept
        failed: list[str] = []
        retrying = AsyncRetrying(
            stop=stop_after_attempt(parameters.retries + 1),
            wait=lambda state: wait_before(parameters, failure(state), state.attempt_number, name),
            retry=retry_if_exception(lambda error: isinstance(error, CallError) and not error.final),
            reraise=True,
        )

        async def once() -> Answer:
            try:
                return await self.attempt(ask, parameters)
            except CallError as error:
                failed.append(str(error))
                raise

        try:
            received: Answer = await retrying(once)
        except CallError as error:
            raise AgentFailure(f"{ask.model}: {error} ({len(failed)} attempt(s))") from None
        except KeyMissing as error:
            raise AgentFailure(str(error)) from None
        answer = msgspec.structs.replace(
            received, usage=msgspec.structs.replace(received.usage, failed_attempts=tuple(failed))
        )
        if self.store:
            self.store.put(name, ask.model, answer)
        return answer

    async def attempt(self, ask: Ask, p: LlmParameters) -> Answer:
        """One call within its deadline. Raises CallError, or BudgetSpent before anything is sent."""
        lane, prices, arguments = self.lane(p), self.price(p), request(ask, p)
        presumed = presumed_cost(prices[0] if prices else None, characters(ask), p.max_tokens)
        async with lane.turn():
            self.ledger.check()
            self.ledger.of(ask.model).attempts += 1
            try:
                async with asyncio.timeout(p.timeout):
                    response = await litellm().acompletion(**arguments)
                answer = self.read(response, p, prices)
            except asyncio.CancelledError:
                self.ledger.given_up(ask.model, presumed)
                raise
            except Exception as error:  # whatever LiteLLM raises is a failed call, not a failed program
                if isinstance(error, TimeoutError):
                    self.ledger.given_up(ask.model, presumed)
                problem = call_error(error, p, lambda text: redact(text, self.hidden))
                if problem.retry_after:
                    lane.pause(problem.retry_after)
                raise problem from None
        self.ledger.answered(answer.usage, presumed)
        return answer

    def read(self, response: Any, p: LlmParameters, prices: tuple[Prices, str] | None) -> Answer:
        """The answer in LiteLLM's response. A prompt takes tokens: a count of 0 means that the provider gave none."""
        choice, counts = response.choices[0], response.usage
        asked, given = counts.prompt_tokens or None, counts.completion_tokens
        details = getattr(counts, "prompt_tokens_details", None)
        cached = getattr(details, "cached_tokens", None)
        known = prices is not None and asked is not None
        usage = Usage(
            model=p.model,
            input_tokens=asked,
            output_tokens=given if asked else given or None,
            cached_input_tokens=cached,
            cost_usd=self.cost(response, p, cached or 0) if known else None,
            priced_by=prices[1] if prices and known else None,
            finish_reason=redact(str(choice.finish_reason), self.keys) if choice.finish_reason else None,
            response_id=redact(str(response.id), self.keys),
        )
        return Answer(str(to_jsonable(redact(choice.message.content or "", self.keys))), usage)

    def cost(self, response: Any, p: LlmParameters, cached: int) -> float:
        """What the response costs, in US dollars: by the team's prices, else by LiteLLM's table with all its rules."""
        counts = response.usage
        if p.prices is not None:
            return cost(p.prices, counts.prompt_tokens, counts.completion_tokens, cached)
        return float(litellm().completion_cost(completion_response=response, model=p.model))

    def price(self, p: LlmParameters) -> tuple[Prices, str] | None:
        """The model's prices, looked up once."""
        key = msgspec.json.encode([p.model, p.prices])
        if key not in self.prices:
            self.prices[key] = price_of(p, litellm())
        return self.prices[key]

    def lane(self, p: LlmParameters) -> Lane:
        """The way to the model's provider."""
        where = destination(p)
        if where not in self.lanes:
            sharing = [q for q in [*self.models, p] if destination(q) == where]
            rates = [q.requests_per_minute for q in sharing if q.requests_per_minute]
            self.lanes[where] = Lane(min(q.concurrency for q in sharing), min(rates, default=None))
        return self.lanes[where]


def destination(p: LlmParameters) -> str:
    """Where the model's calls go: an address, or the provider that LiteLLM's prefix names."""
    return p.api_base or p.model.partition("/")[0]


def secrets_named(models: Iterable[LlmParameters]) -> set[str]:
    """The values of the models' own keys."""
    return {os.environ.get(p.api_key_env, "").strip() for p in models if p.api_key_env}


def failure(state: RetryCallState) -> CallError:
    """What the attempt failed with."""
    error = state.outcome.exception() if state.outcome else None
    return error if isinstance(error, CallError) else CallError(str(error), None, True)


def characters(ask: Ask) -> int:
    """How long the conversation is."""
    return sum(len(m["content"]) for m in ask.messages)


def request(ask: Ask, p: LlmParameters) -> dict[str, Any]:
    """The arguments of LiteLLM's call: one attempt, no retries of its own, nothing that was not asked for."""
    optional = {
        "api_base": ask.api_base,
        "api_key": key_of(p),
        "temperature": ask.temperature,
        "max_tokens": ask.max_tokens,
        "seed": ask.seed,
    }
    given = {name: value for name, value in optional.items() if value is not None}
    return {"model": ask.model, "messages": ask.messages, "timeout": p.timeout, "max_retries": 0, **given, **ask.extra}
