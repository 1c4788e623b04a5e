"""Calls to providers through LiteLLM: limits, deadlines, retries, cache, and what it all costs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from sim.agents import KEY, PROVIDER, AgentFailure
from sim.models.agent import FILTERED, Answer, Ask, Charge, characters
from sim.models.cache import Cache, digest, kept_as
from sim.models.checks import KeyMissing, addresses, headers_of, key_of, provider_of
from sim.models.failures import FOR_ALL, CallError, ToldError, call_error, is_billed, is_filtered, is_late, secrets
from sim.models.library import completion, litellm
from sim.models.limits import Credential, RateLimiter, Tries, wait_before
from sim.models.money import Ledger
from sim.models.prices import presumed_cost, price_of
from sim.models.response import answer_of, filtered, usage_of
from sim.models.spans import span, usage_attributes
from sim.models.spec import LlmParameters, Prices, is_secret, listed_addresses

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
        # All that comes from a provider is redacted by this, once, before anything else sees it.
        self.hidden = secrets(name for p in self.models for name in variables_of_keys(p))
        self.limiters: dict[str, RateLimiter] = {}
        self.credentials: dict[tuple[str, str | None], Credential] = {}
        self.in_flight: dict[str, tuple[asyncio.Lock, int]] = {}
        self.prices: dict[bytes, tuple[Prices, str] | None] = {}

    async def answer(self, ask: Ask, parameters: LlmParameters) -> Answer:
        """The answer, from the cache or from the provider. Raises AgentFailure where there is none.

        Equal questions at once wait for the answer to the first of them, where it will be kept.
        """
        if self.store is None or not self.store.keeps(parameters):
            self.check_online(ask)
            return await self.asked(ask, parameters)
        name = kept_as(ask, parameters)
        async with self.alone(name):
            if kept := self.store.get(name):
                self.ledger.of(ask.model).from_cache += 1
                return msgspec.structs.replace(kept, usage=msgspec.structs.replace(kept.usage, from_cache=True))
            self.check_online(ask)
            answer = await self.asked(ask, parameters)
            if not is_empty(answer):
                self.store.put(name, ask.model, answer)
            return answer

    def check_online(self, ask: Ask) -> None:
        """Raise AgentFailure if nobody may be asked."""
        if self.offline:
            raise AgentFailure(f"{ask.model}: the cache holds no answer to this question, and nobody is asked")

    @asynccontextmanager
    async def alone(self, name: str) -> AsyncIterator[None]:
        """Let one in-flight request at a time ask the question of that digest."""
        lock, waiting = self.in_flight.get(name, (asyncio.Lock(), 0))
        self.in_flight[name] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self.in_flight.pop(name)
            if waiting > 1:
                self.in_flight[name] = (lock, waiting - 1)

    async def asked(self, ask: Ask, p: LlmParameters) -> Answer:
        """The provider's answer in a span, after as many attempts as it takes; an empty one is asked for once more."""
        tries = Tries(p, asyncio.get_running_loop().time)
        about = {"gen_ai.operation.name": "chat", "gen_ai.request.model": ask.model}
        with span(f"chat {ask.model}", about) as tell, self.limiter(p).question():
            try:
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
            answer = msgspec.structs.replace(answer, usage=msgspec.structs.replace(answer.usage, **failed))
            tell(usage_attributes(answer.usage))
        return answer

    async def tried(self, ask: Ask, p: LlmParameters, tries: Tries) -> Answer:
        """The provider's answer, tried until it comes. Raises CallError where no other attempt makes sense."""
        name = digest(ask)

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
                self.limiter(p).given_up += 1
            raise
        return answer

    async def attempt(self, ask: Ask, p: LlmParameters, name: str, failed: int) -> Answer:
        """One call within its deadline. Raises CallError, or BudgetSpent before anything is sent."""
        limiter, credential = self.limiter(p), self.credential(p)
        address = address_for(ask, p, failed)
        arguments = request(ask, p, address)
        presumed = partial(presumed_cost, p, self.price(p), characters(ask), litellm())
        async with limiter.turn() as began, credential.tried():
            self.ledger.check()
            self.ledger.of(ask.model).attempts += 1
            try:
                async with asyncio.timeout(p.timeout):
                    response = await completion(arguments)
                answer = self.read(response, p, presumed)
            except asyncio.CancelledError:
                self.ledger.given_up(ask.model, presumed())
                raise
            except Exception as error:  # whatever LiteLLM raises is a failed call, not a failed program
                if not is_filtered(error):
                    problem = error if isinstance(error, CallError) else self.problem(error, p, address, presumed)
                    limiter.failed(problem, began, lambda refusals: wait_before(p, problem, refusals, name))
                    raise problem from None
                answer = filtered(p)
        limiter.answered()
        credential.accepted = True
        return answer

    def problem(self, error: Exception, p: LlmParameters, address: str | None, presumed: Any) -> CallError:
        """The failure of a call, after what it may be charged for is counted, and who shares its key knows of it."""
        problem = call_error(error, p, self.hidden, address or "")
        problem.billed = not isinstance(error, TimeoutError) and is_billed(error)
        if isinstance(error, ToldError):
            problem.billed, problem.charge = error.charge is not None, error.charge
        elif problem.billed or is_late(error):
            self.ledger.given_up(p.model, presumed())
            problem.charge = Charge()
        self.credential(p).failed(problem)
        return problem

    def read(self, response: Any, p: LlmParameters, presumed: Callable[..., float]) -> Answer:
        """The answer in LiteLLM's response, which is charged for whatever it holds. Raises CallError or ToldError."""
        usage = usage_of(response, p, self.price(p), self.hidden, litellm())
        try:
            answer = answer_of(response, usage, self.hidden)
        except ToldError as error:
            if error.charge:
                self.ledger.charged(usage, presumed())
            raise
        except Exception as error:  # a response of any other shape is one that can't be used
            self.ledger.charged(usage, presumed())
            unusable = call_error(error, p, self.hidden)
            unusable.billed, unusable.charge = True, usage.charge
            raise unusable from None
        self.ledger.answered(usage, presumed(answer.whole))
        return answer

    async def ready(self, models: Iterable[LlmParameters]) -> str | None:
        """Wait while a provider of these models is down and others try to reach it; why no game should begin, if so."""
        for p in models:
            if refusal := self.credential(p).refusal:
                return f"{p.model} refuses the key: {refusal}"
            if problem := await self.limiter(p).ready():
                return f"{p.model} is down: {problem}"
        return None

    def price(self, p: LlmParameters) -> tuple[Prices, str] | None:
        """The model's prices, looked up once."""
        key = msgspec.json.encode([p.model, p.prices])
        if key not in self.prices:
            self.prices[key] = price_of(p, litellm())
        return self.prices[key]

    def limiter(self, p: LlmParameters) -> RateLimiter:
        """What limits all calls to the model's provider."""
        where = destination(p)
        if where not in self.limiters:
            sharing = [q for q in [*self.models, p] if destination(q) == where]
            rates = [q.requests_per_minute for q in sharing if q.requests_per_minute]
            self.limiters[where] = RateLimiter(min(q.concurrency for q in sharing), min(rates, default=None))
        return self.limiters[where]

    def credential(self, p: LlmParameters) -> Credential:
        """The key that the model is asked with."""
        return self.credentials.setdefault((destination(p), p.api_key_env), Credential())


def is_empty(answer: Answer) -> bool:
    """Whether the answer holds nothing, and no filter says why."""
    return not answer.text.strip() and not answer.calls and answer.end != FILTERED


def variables_of_keys(p: LlmParameters) -> list[str | None]:
    """The variables that the model's team names for keys: of headers, those whose name or variable says so."""
    headers = p.headers_env.items()
    return [p.api_key_env, *(name for pair in headers for name in pair[1:] if any(map(is_key, pair)))]


def is_key(name: str) -> bool:
    """Whether a header or a variable of this name holds a key."""
    return is_secret(name) or "auth" in name.lower() or "cookie" in name.lower()


def failure(state: RetryCallState) -> CallError:
    """What the attempt failed with."""
    error = state.outcome.exception() if state.outcome else None
    return error if isinstance(error, CallError) else CallError(str(error), None, True)


def destination(p: LlmParameters) -> str:
    """Where the model's calls go: addresses, or the provider that LiteLLM's prefix names."""
    return p.api_base_env or ", ".join(listed_addresses(p)) or provider_of(p)


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
