"""Prices of models, and what games cost by them beside Appendix K."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

PRICES = Path("data/prices/litellm.yaml")
MILLION = 1_000_000  # tokens that a price is for
# A price's name here → LiteLLM's.
KINDS = {
    "input": "input_cost_per_token",
    "cached_input": "cache_read_input_token_cost",
    "output": "output_cost_per_token",
}
DECIMALS = 6  # a millionth of a dollar for a million tokens: below it is what binary fractions add

NEEDS_TRACES, NO_TOKENS, NO_PRICE = "needs model traces", "tokens not recorded", "price not known"
MEASURED = "measured"
TEAM = ["team", "simulated", "condition"]


def costs(games: pl.DataFrame, calls: pl.DataFrame, prices: pl.DataFrame) -> pl.DataFrame:
    """One row per team and condition (its key), in Appendix K's columns.

    games, calls: those tables; prices: of `read_prices`. usd_* are what the recorded tokens cost at the
    prices given, empty where tokens or a price are missing or no model was called; recorded_usd sums the prices that
    traces recorded when the calls were made.
    """
    priced = price_calls(calls, prices).join(games.select("game_id", *TEAM, "setting"), on="game_id")
    spent = priced.group_by(TEAM).agg(
        calls=pl.len(),
        models=pl.col("model").drop_nulls().unique().sort().str.join(", "),
        input_tokens=pl.col("input_tokens").sum(),
        output_tokens=pl.col("output_tokens").sum(),
        unmetered=pl.col("metered").not_().sum(),
        unpriced=pl.col("price_known").not_().sum(),
        failed_attempts=pl.col("failed_attempts").sum(),
        usd_uniform=_complete_sum(pl.col("usd").filter(pl.col("setting") == "uniform")),
        usd_varied=_complete_sum(pl.col("usd").filter(pl.col("setting") == "varied")),
        usd_total=_complete_sum(pl.col("usd")),
        recorded_usd=_complete_sum(pl.col("cost_usd")),
        dated=pl.col("dated").max(),
    )
    played = games.group_by(TEAM).agg(games=pl.len())
    rows = played.join(spent, on=TEAM, how="left").with_columns(pl.col("calls").fill_null(0))
    return rows.with_columns(verdict=_verdict()).sort(TEAM)


def price_calls(calls: pl.DataFrame, prices: pl.DataFrame) -> pl.DataFrame:
    """Every call with its price in US dollars (`usd`, empty where unknown), `metered`, `price_known` and `dated`.

    Tokens that a provider had in its cache cost what they cost there; where no such price is listed, the full price.
    A trace that names a model without its provider (Table 8) means the one listed under that name.
    """
    alone = prices.with_columns(pl.col("model").str.split("/").list.last())
    prices = pl.concat([prices, alone]).unique("model", keep="first", maintain_order=True)
    fresh = pl.col("input_tokens") - pl.min_horizontal(pl.col("cached_input_tokens").fill_null(0), "input_tokens")
    cached = pl.col("input_tokens") - fresh
    usd = (
        fresh * pl.col("input")
        + cached * pl.coalesce("cached_input", "input")
        + pl.col("output_tokens") * pl.col("output")
    )
    metered = pl.col("input_tokens").is_not_null() & pl.col("output_tokens").is_not_null()
    return calls.join(prices, on="model", how="left").with_columns(
        usd=usd / MILLION,
        metered=metered,
        price_known=pl.col("input").is_not_null() & pl.col("output").is_not_null(),
    )


def _complete_sum(values: pl.Expr) -> pl.Expr:
    """The sum, null where a value is missing or there is none."""
    return pl.when((values.len() > 0) & values.is_not_null().all()).then(values.sum())


def _verdict() -> pl.Expr:
    return (
        pl.when(pl.col("calls") == 0)
        .then(pl.lit(NEEDS_TRACES))
        .when(pl.col("unmetered") > 0)
        .then(pl.lit(NO_TOKENS))
        .when(pl.col("unpriced") > 0)
        .then(pl.lit(NO_PRICE))
        .otherwise(pl.lit(MEASURED))
    )


def per_game(spent: pl.DataFrame) -> pl.DataFrame:
    """The rows of `costs` with a call, and what a game takes: thousands of tokens in and out, US dollars if known."""
    thousands = {f"{way}_thousands": pl.col(f"{way}_tokens") / (1000 * pl.col("games")) for way in ("input", "output")}
    usd = pl.col("usd_total") / pl.col("games")
    return spent.filter(pl.col("calls") > 0).with_columns(**thousands, usd_per_game=usd)


def read_prices(path: Path = PRICES) -> pl.DataFrame:
    """One row per model of a price file: model, input, cached_input, output (US dollars for a million tokens), dated.

    A model without prices has nulls.
    """
    import yaml

    file = yaml.safe_load(path.read_text(encoding="utf-8"))
    rows = [
        (model, *((prices or {}).get(kind) for kind in KINDS), file["dated"])
        for model, prices in file["prices"].items()
    ]
    schema = {"model": pl.String} | dict.fromkeys(KINDS, pl.Float64) | {"dated": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row").sort("model")


def litellm_prices(models: Iterable[str]) -> dict[str, Any]:
    """What a price file holds, by the table of the installed LiteLLM; null for a model that it does not list."""
    import os

    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from importlib.metadata import version

    import litellm

    return {
        "source": "the model table inside the litellm package, read without the network; standard rates, no tiers",
        "unit": "US dollars for a million tokens",
        "dated": f"litellm {version('litellm')}",
        "prices": {model: _listed(litellm, model) for model in sorted(models)},
    }


def _listed(litellm: Any, model: str) -> dict[str, float] | None:
    """The model's prices at the provider that its name says, None where LiteLLM does not list it there."""
    try:
        listed = litellm.get_model_info(model=model)
    except Exception:  # LiteLLM raises a bare Exception for a model that it does not know
        return None
    return {kind: round(listed[key] * MILLION, DECIMALS) for kind, key in KINDS.items() if listed.get(key)}


def team_models(folder: Path = Path("data/teams")) -> list[str]:
    """The models of the teams in a folder that play over a provider, not over an address of their own."""
    import yaml

    specs = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.yaml"))]
    parameters = [agent["parameters"] for spec in specs for agent in spec["agents"]]
    return sorted({p["model"] for p in parameters if "api_base" not in p})


def write_prices(path: Path = PRICES) -> None:
    """Write the teams' prices by LiteLLM's table."""
    import yaml

    from machine.files import replacing

    with replacing(path) as target:
        text = yaml.safe_dump(litellm_prices(team_models()), sort_keys=False, default_flow_style=None, width=120)
        target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_prices()
