"""What calls cost: prices, the tally of a run, and its budget. Unknown stays unknown: it never counts as 0."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from sim.agents import AgentFailure
from sim.models.agent import Usage
from sim.models.spec import LlmParameters, Prices

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
