"""Calls to providers through LiteLLM: limits, deadlines, retries, cache, and what it all costs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from sim.agents import KEY, PROVIDER, AgentFailure
from sim.models.agent import FILTERED, Answer, Ask, Charge, characters
from sim.models.attempts import (
    Credential,
    KeyMissing,
    Lane,
    Tries,
    wait_before,
)
from sim.models.cache import Cache, digest, kept_as
from sim.models.failures import (
    FOR_ALL,
    CallError,
    call_error,
    is_billed,
    is_filtered,
    is_late,
    redact,
    secrets,
    written,
)
from sim.models.library import litellm
from sim.models.money import Ledger, filtered, text_of, usage_of
from sim.models.prices import presumed_cost, price_of
from sim.models.request import address_for, destination, request
from sim.models.spans import span, usage_attributes
from sim.models.spec import LlmParameters, Prices, is_like_a_key, is_secret

EMPTY = "an empty answer"


class Failure(Struct, frozen=True):
    """A call that failed: the model, the category, the HTTP status if any, what went wrong, and the digest of what was
    asked."""

    model: str
    category: str
    status: int | None
    problem: str
    question: str


class Provider:
    """Answers asks for all games of a run. `models` are the parameters of all its agents: the strictest limits of a
    provider hold for everybody who calls it. `log` is told of each failure; with `offline` only the cache answers."""

    def __init__(
        self,
        models: Iterable[LlmParameters],
        ledger: Ledger,
        store: Cache | None = None,
        log: Callable[[Failure], None] = lambda failure: None,
        offline: bool = False,
    ) -> None:
        self.models = list(models)
        self.ledger = ledger
        self.store = store
        self.log = log
        self.offline = offline
        self.hidden = secrets(name for p in self.models for name in (p.api_key_env, *p.headers_env.values()))
        own = {form for key in secrets_named(self.models) if key for form in written(key)}
        own |= {value for value in secrets(()) if is_like_a_key(value)}
        self.keys = [value for value in self.hidden if value in own]
        self.lanes: dict[str, Lane] = {}
        self.credentials: dict[tuple[str, str | None], Credential] = {}
        self.flights: dict[str, tuple[asyncio.Lock, int]] = {}
        self.prices: dict[bytes, tuple[Prices, str] | None] = {}

    async def answer(self, ask: Ask, parameters: LlmParameters) -> Answer:
        """The answer, from the cache or from the provider. Raises AgentFailure where there is none.

        Equal questions at once wait for the answer to the first of them, where it will be kept.
        """
        if self.store is None or not self.store.keeps(parameters):
            return await self.asked_in_a_span(ask, parameters)
        name = kept_as(ask, parameters)
        async with self.flight(name):
            if kept := self.store.get(name):
                self.ledger.of(ask.model).from_cache += 1
                return msgspec.structs.replace(kept, usage=msgspec.structs.replace(kept.usage, from_cache=True))
            if self.offline:
                raise AgentFailure(f"{ask.model}: the cache holds no answer to this question, and nobody is asked")
            answer = await self.asked_in_a_span(ask, parameters)
            if not is_empty(answer):
                self.store.put(name, ask.model, answer)
            return answer

    @asynccontextmanager
    async def flight(self, name: str) -> AsyncIterator[None]:
        """Let one at a time ask the question of that digest."""
        lock, waiting = self.flights.get(name, (asyncio.Lock(), 0))
        self.flights[name] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self.flights.pop(name)
            if waiting > 1:
                self.flights[name] = (lock, waiting - 1)

    async def asked(self, ask: Ask, p: LlmParameters) -> Answer:
        """The provider's answer, after as many attempts as it takes; one that is empty is asked for once more."""
        tries, lane = Tries(p, asyncio.get_running_loop().time), self.lane(p)
        try:
            with lane.question():
                answer = await self.tried(ask, p, tries)
                if is_empty(answer):
                    tries.failed.append(EMPTY)
                    tries.charges.append(answer.usage.charge)
                    self.log(Failure(ask.model, PROVIDER, None, EMPTY, digest(ask)))
                    answer = await self.tried(ask, p, tries)
        except CallError as error:
            raise AgentFailure(f"{ask.model}: {error} ({len(tries.failed)} attempt(s))", error.category) from None
        except KeyMissing as error:
            raise AgentFailure(str(error), KEY) from None
        failed = {"failed_attempts": tuple(tries.failed), "charged_attempts": tuple(tries.charges)}
        usage = msgspec.structs.replace(answer.usage, **failed)
        return msgspec.structs.replace(answer, usage=usage)

    async def asked_in_a_span(self, ask: Ask, p: LlmParameters) -> Answer:
        """The provider's answer, and a span of how it came about."""
        about = {"gen_ai.operation.name": "chat", "gen_ai.request.model": ask.model}
        with span(f"chat {ask.model}", about) as tell:
            answer = await self.asked(ask, p)
            tell(usage_attributes(answer.usage))
        return answer

    async def tried(self, ask: Ask, p: LlmParameters, tries: Tries) -> Answer:
        """The provider's answer, tried until it comes. Raises CallError where no other attempt makes sense."""
        name, lane = digest(ask), self.lane(p)

        async def once() -> Answer:
            try:
                return await self.attempt(ask, p, name, len(tries.failed))
            except CallError as error:
                tries.add(error)
                self.log(Failure(ask.model, error.category, error.status, str(error), name))
                raise

        retrying = AsyncRetrying(
            stop=lambda state: tries.are_over(state.upcoming_sleep),
            wait=lambda state: wait_before(p, failure(state), state.attempt_number, name),
            retry=retry_if_exception(lambda error: isinstance(error, CallError) and not error.final),
            reraise=True,
        )
        try:
            answer: Answer = await retrying(once)
        except CallError as error:
            if tries.time_is_up or (error.final and error.status in FOR_ALL):
                lane.given_up += 1
            raise
        return answer

    async def attempt(self, ask: Ask, p: LlmParameters, name: str, failed: int) -> Answer:
        """One call within its deadline. Raises CallError, or BudgetSpent before anything is sent."""
        lane, credential = self.lane(p), self.credential(p)
        address = address_for(ask, p, failed)
        arguments = request(ask, p, address)
        presumed = partial(presumed_cost, p, self.price(p), characters(ask), litellm())
        async with lane.turn() as began, credential.tried():
            self.ledger.check()
            self.ledger.of(ask.model).attempts += 1
            try:
                async with asyncio.timeout(p.timeout):
                    response = await litellm().acompletion(**arguments)
            except asyncio.CancelledError:
                self.ledger.given_up(ask.model, presumed())
                raise
            except Exception as error:  # whatever LiteLLM raises is a failed call, not a failed program
                if is_filtered(error):
                    lane.answered()
                    credential.answered()
                    return Answer("", filtered(p))
                problem = self.problem(error, p, address)
                credential.failed(problem)
                if problem.billed or is_late(error):
                    self.ledger.given_up(ask.model, presumed())
                    problem.charge = Charge()
                tell(lane, problem, began, p, name)
                raise problem from None
        lane.answered()
        credential.answered()
        return self.read(response, p, presumed)

    def problem(self, error: Exception, p: LlmParameters, address: str | None = None) -> CallError:
        """The failure as one line without secrets."""
        problem = call_error(error, p, lambda text: redact(text, self.hidden), address or "")
        problem.billed = not isinstance(error, TimeoutError) and is_billed(error)
        return problem

    def read(self, response: Any, p: LlmParameters, presumed: Callable[..., float]) -> Answer:
        """The answer in LiteLLM's response, which is charged for whatever it holds. Raises CallError."""
        usage = usage_of(response, p, self.price(p), self.keys, litellm())
        try:
            answer = Answer(text_of(response, self.keys), usage)
        except Exception as error:
            self.ledger.charged(usage, presumed())
            problem = self.problem(error, p)
            problem.billed, problem.charge = True, usage.charge
            raise problem from None
        self.ledger.answered(usage, presumed(answer.text))
        return answer

    async def ready(self, models: Iterable[LlmParameters]) -> str | None:
        """Wait while a provider of these models is down and others try to reach it; why no game should begin, if so."""
        for p in models:
            if refusal := self.credential(p).refusal:
                return f"{p.model} refuses the key: {refusal}"
            if problem := await self.lane(p).ready():
                return f"{p.model} is down: {problem}"
        return None

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

    def credential(self, p: LlmParameters) -> Credential:
        """The key that the model is asked with."""
        return self.credentials.setdefault((destination(p), p.api_key_env), Credential())


def is_empty(answer: Answer) -> bool:
    """Whether the answer holds nothing, and no filter says why."""
    return not answer.text.strip() and answer.usage.finish_reason != FILTERED


def tell(lane: Lane, problem: CallError, began: float, p: LlmParameters, name: str) -> None:
    """Let all who call the provider know of a failure that began then: that it is down, and for how long to pause."""
    if problem.billed:
        lane.answered()
    elif not problem.final or problem.status in FOR_ALL:
        lane.failed(str(problem))
    if problem.retry_after:
        lane.pause(problem.retry_after)
    elif problem.status in FOR_ALL and not problem.final:
        lane.refused(began, lambda refusals: wait_before(p, problem, refusals, name))


def secrets_named(models: Sequence[LlmParameters]) -> set[str]:
    """The values of the keys that the models' teams name."""
    headers = (pair for p in models for pair in p.headers_env.items())
    names = {name for header, name in headers if is_key(header) or is_key(name)}
    return {os.environ.get(name, "").strip() for name in names.union(p.api_key_env or "" for p in models)}


def is_key(name: str) -> bool:
    """Whether a header or a variable of this name holds a key."""
    return is_secret(name) or "auth" in name.lower()


def failure(state: RetryCallState) -> CallError:
    """What the attempt failed with."""
    error = state.outcome.exception() if state.outcome else None
    return error if isinstance(error, CallError) else CallError(str(error), None, True)
