"""What an answer was billed for, and what a run has spent and may spend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from sim.agents import AgentFailure
from sim.game.trace import to_jsonable
from sim.models.agent import FILTERED, Usage
from sim.models.attempts import causes, redact
from sim.models.spec import LlmParameters, Prices

# Errors by their names: a status that says what is wrong, and no connection to hear an answer on.
STATUS = frozenset({"HTTPStatusError", "APIStatusError", "ClientResponseError"})
UNREACHED = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
UNANSWERED = STATUS | UNREACHED | {"ClientConnectionError", "ConnectionError"}
FILTER_CODES = frozenset({"content_filter", "content_policy_violation"})


def usage_of(
    response: Any, p: LlmParameters, prices: tuple[Prices, str] | None, keys: Sequence[str], litellm: Any
) -> Usage:
    """What the response took. A prompt takes tokens: a count of 0 means that the provider gave none. Where a count is
    absurd, below 0 or no number, or the price is unknown, the cost is unknown."""
    counts = getattr(response, "usage", None)
    asked, given = tokens(counts, "prompt_tokens") or None, tokens(counts, "completion_tokens")
    details = getattr(counts, "prompt_tokens_details", None)
    cached = tokens(details, "cached_tokens")
    told = getattr(details, "cached_tokens", None)
    sound = asked is not None and given is not None and (told is None or (cached is not None and cached <= asked))
    usd = cost_of(response, p, asked or 0, given or 0, cached or 0, litellm) if sound and prices else None
    choices = getattr(response, "choices", None)
    reason = getattr(choices[0], "finish_reason", None) if choices else None
    return Usage(
        model=p.model,
        input_tokens=asked,
        output_tokens=given if asked else given or None,
        cached_input_tokens=cached,
        cost_usd=usd,
        priced_by=prices[1] if prices and usd is not None else None,
        finish_reason=redact(str(reason), keys) if reason else None,
        response_id=redact(str(getattr(response, "id", None)), keys),
    )


def tokens(counts: Any, name: str) -> int | None:
    """A count of tokens; None where there is none or it is absurd."""
    value = getattr(counts, name, None)
    return value if type(value) is int and value >= 0 else None


def cost_of(response: Any, p: LlmParameters, asked: int, given: int, cached: int, litellm: Any) -> float | None:
    """What the response costs, in US dollars: by the team's prices, else by LiteLLM's table with all its rules."""
    if p.prices is not None:
        return cost(p.prices, asked, given, cached)
    try:
        usd = float(litellm.completion_cost(completion_response=response, model=p.model))
    except Exception:  # whatever LiteLLM raises over a response, what it costs is unknown then
        return None
    return usd if 0 <= usd < float("inf") else None


def text_of(response: Any, keys: Sequence[str]) -> str:
    """The response's text, without keys. Raises ValueError where it holds none that can be used."""
    if not response.choices:
        raise ValueError("a response without choices")
    content = response.choices[0].message.content
    if not isinstance(content, str | None):
        raise ValueError(f"content of type {type(content).__name__}, not text")
    return str(to_jsonable(redact(content or "", keys)))


def is_billed(error: Exception) -> bool:
    """Whether the call that failed so may have been charged for: an answer had begun, and could not be used."""
    status = getattr(error, "status_code", None)
    # LiteLLM gives a status of its own, 500, to what it can't read; a server's has its cause among the errors.
    return status in (None, 200, 500) and not any(names(e) & UNANSWERED for e in causes(error))


def is_late(error: Exception) -> bool:
    """Whether the call was given up at its deadline, ours or LiteLLM's: the server had it, and said nothing yet."""
    if isinstance(error, TimeoutError):
        return True
    return getattr(error, "status_code", None) == 408 and not any(
        names(e) & (STATUS | UNREACHED) for e in causes(error)
    )


def names(error: BaseException) -> set[str]:
    """The names of the error's classes, LiteLLM's own left out: they stand for any failure."""
    own = type(error).__module__.startswith("litellm.")
    return set() if own else {kind.__name__ for kind in type(error).__mro__}


def is_filtered(error: Exception) -> bool:
    """Whether a content filter refused the question: some providers say so by a status, others in their answer."""
    if getattr(error, "status_code", None) != 400:
        return False
    codes = {code for e in causes(error) if isinstance(code := getattr(e, "code", None), str)}
    return type(error).__name__ == "ContentPolicyViolationError" or bool(codes & FILTER_CODES)


def filtered(p: LlmParameters) -> Usage:
    """What a question took that a filter refused by a status: nothing that anybody tells."""
    return Usage(model=p.model, finish_reason=FILTERED)


CHARACTERS_PER_TOKEN = 4
MILLION = 1_000_000


class BudgetSpent(AgentFailure):
    """The run's budget is used up."""


class UnknownPrice(ValueError):
    """A budget can't be kept, because a model's price is unknown: which, and what to do."""


class Tally(Struct, kw_only=True):
    """The calls of one model. `cost_usd` sums what is known; `unpriced` answers have no known cost.

    `attempts` counts requests sent, failed ones too; `unmetered` are answers without token counts, attempts that were
    given up at their deadline and responses that broke off, which a provider may well charge for. Responses that could
    not be used count with their tokens and cost, and are no answers. `presumed_usd` is what these would cost at
    four characters a token and a full answer: it counts against a budget and is never reported as cost.
    """

    attempts: int = 0
    answers: int = 0
    from_cache: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0
    unmetered: int = 0
    presumed_usd: float = 0.0

    @property
    def text(self) -> str:
        """The tally in words; what is not known is said to be so."""
        failed = self.attempts - self.answers
        parts = [
            f"{self.answers} answers from {self.attempts} requests" + (f" ({failed} failed)" if failed else ""),
            f"{self.from_cache} from the cache",
            f"{self.input_tokens} tokens in, {self.output_tokens} out",
            f"{self.cost_usd:.4f} USD" if self.answers > self.unpriced or not self.answers else "cost unknown",
        ]
        if 0 < self.unpriced < self.answers:
            parts.append(f"and {self.unpriced} answers of unknown cost")
        if self.unmetered:
            parts.append(f"{self.unmetered} requests without token counts")
        return ", ".join(parts)


class Ledger:
    """What a run has spent, by model, and what it may spend: `max_cost` in US dollars, None for any amount."""

    def __init__(self, max_cost: float | None = None) -> None:
        self.max_cost = max_cost
        self.tallies: dict[str, Tally] = {}

    def of(self, model: str) -> Tally:
        """The model's tally."""
        return self.tallies.setdefault(model, Tally())

    @property
    def spent(self) -> float:
        """What counts against the budget, in US dollars: known costs, and presumed ones where they are not known."""
        return sum(t.cost_usd + t.presumed_usd for t in self.tallies.values())

    def check(self) -> None:
        """Raises BudgetSpent where nothing is left."""
        if self.max_cost is not None and self.spent >= self.max_cost:
            raise BudgetSpent(f"the run's budget of {self.max_cost:.2f} USD is used up")

    def answered(self, usage: Usage, presumed: float) -> None:
        """Count an answer that a provider gave."""
        self.of(usage.model).answers += 1
        self.of(usage.model).unpriced += usage.cost_usd is None
        self.charged(usage, presumed)

    def charged(self, usage: Usage, presumed: float) -> None:
        """Count what a response took, whether or not it can be used."""
        tally = self.of(usage.model)
        tally.input_tokens += usage.input_tokens or 0
        tally.output_tokens += usage.output_tokens or 0
        if usage.cost_usd is None:
            tally.presumed_usd += presumed
        else:
            tally.cost_usd += usage.cost_usd
        if usage.input_tokens is None or usage.output_tokens is None:
            tally.unmetered += 1

    def given_up(self, model: str, presumed: float) -> None:
        """Count an attempt that was given up at its deadline, or whose response broke off: the provider may have
        worked, and charge for it."""
        self.of(model).unmetered += 1
        self.of(model).presumed_usd += presumed


def price_of(p: LlmParameters, litellm: Any) -> tuple[Prices, str] | None:
    """The model's prices and where they come from: the team's own, else LiteLLM's table; None where unknown."""
    if p.prices is not None:
        return p.prices, f"team, {p.prices.date}"
    try:
        info = litellm.get_model_info(model=p.model)
        asked, given = info["input_cost_per_token"], info["output_cost_per_token"]
    except Exception:  # LiteLLM raises a bare Exception for a model that it does not know
        return None
    if not asked or not given:
        return None
    return Prices(asked * MILLION, given * MILLION, None), litellm_source()


def litellm_source() -> str:
    """The name of LiteLLM's price table."""
    from importlib.metadata import version

    return f"litellm {version('litellm')}"


def cost(prices: Prices, input_tokens: int, output_tokens: int, cached: int = 0) -> float:
    """The price of an answer, in US dollars."""
    cached_price = prices.input if prices.cached_input is None else prices.cached_input
    fresh = max(0, input_tokens - cached)
    return (fresh * prices.input + cached * cached_price + output_tokens * prices.output) / MILLION


def presumed_cost(prices: Prices | None, characters: int, max_tokens: int | None) -> float:
    """What a call without token counts may have cost at most, by its text; 0 where no price is known."""
    if prices is None:
        return 0.0
    return cost(prices, characters // CHARACTERS_PER_TOKEN + 1, max_tokens or 0)


def check_prices(models: Iterable[LlmParameters], litellm: Any) -> None:
    """Raises UnknownPrice for the first model without a price: a budget could not be kept."""
    for p in models:
        if price_of(p, litellm) is None:
            raise UnknownPrice(
                f"the price of {p.model} is unknown, so --max-cost can't be kept; give `prices` in the team's YAML, "
                "or pass --allow-unknown-prices"
            )
