"""Prices of models, and what answers cost by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from sim.models import ModelError
from sim.models.spec import LlmParameters, Prices

CHARACTERS_PER_TOKEN = 4
MILLION = 1_000_000


class UnknownPrice(ModelError):
    """A budget can't be kept, because a model's price is unknown: which, and what to do."""


def price_of(p: LlmParameters, litellm: Any) -> tuple[Prices, str] | None:
    """The model's prices and where they come from: the team's own, else LiteLLM's table; None where unknown."""
    if p.prices is not None:
        return p.prices, f"team, {p.prices.date}"
    info = listed(p.model, litellm)
    asked, given = info.get("input_cost_per_token"), info.get("output_cost_per_token")
    if not asked or not given:
        return None
    return Prices(asked * MILLION, given * MILLION, None), litellm_source()


@cache
def listed(model: str, litellm: Any) -> Mapping[str, Any]:
    """What LiteLLM's table says of the model; nothing where it does not list it."""
    try:
        return dict(litellm.get_model_info(model=model))
    except Exception:  # LiteLLM raises a bare Exception for a model that it does not know
        return {}


def litellm_source() -> str:
    """The name of LiteLLM's price table."""
    from importlib.metadata import version

    return f"litellm {version('litellm')}"


def cost(prices: Prices, input_tokens: int, output_tokens: int, cached: int = 0) -> float:
    """The price of an answer, in US dollars."""
    cached_price = prices.input if prices.cached_input is None else prices.cached_input
    fresh = max(0, input_tokens - cached)
    return (fresh * prices.input + cached * cached_price + output_tokens * prices.output) / MILLION


def cost_of(response: Any, p: LlmParameters, asked: int, given: int, cached: int, litellm: Any) -> float | None:
    """What the response costs, in US dollars: by the team's prices, else by LiteLLM's table with all its rules."""
    if p.prices is not None:
        return cost(p.prices, asked, given, cached)
    try:
        usd = float(litellm.completion_cost(completion_response=response, model=p.model))
    except Exception:  # whatever LiteLLM raises over a response, what it costs is unknown then
        return None
    return usd if 0 <= usd < float("inf") else None


def presumed_cost(
    p: LlmParameters, price: tuple[Prices, str] | None, characters: int, litellm: Any, text: str = ""
) -> float:
    """What a call without token counts may have cost at most, by its text: 0 where no price is known. Its answer is as
    long as it may be or, where nobody says how long that is, as its text."""
    if price is None:
        return 0.0
    longest = p.max_tokens or listed(p.model, litellm).get("max_output_tokens")
    return cost(price[0], characters // CHARACTERS_PER_TOKEN + 1, longest or -(-len(text) // CHARACTERS_PER_TOKEN))


def check_prices(models: Iterable[LlmParameters], litellm: Any) -> None:
    """Raises UnknownPrice for the first model without a price: a budget could not be kept."""
    for p in models:
        if price_of(p, litellm) is None:
            raise UnknownPrice(
                f"the price of {p.model} is unknown, so --max-cost can't be kept; give `prices` in the team's YAML, "
                "or pass --allow-unknown-prices"
            )
