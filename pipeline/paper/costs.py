"""Prices of models, and what games cost, in Appendix K's columns."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from machine.terminal import counted

PRICES = Path("data/prices/litellm.yaml")
MILLION = 1_000_000  # tokens that a price is for
# A price's name here → LiteLLM's.
KINDS = {
    "input": "input_cost_per_token",
    "cached_input": "cache_read_input_token_cost",
    "output": "output_cost_per_token",
}
DECIMALS = 6  # a millionth of a dollar for a million tokens: below it is what binary fractions add

NO_CALL, NO_TOKENS, NO_PRICE = "no model called", "tokens not recorded", "price not known"
NO_ANSWER, MEASURED = "no answer given", "measured"
# What a verdict goes on with, and how many of them.
UNCOUNTED = ", without failed attempts of unknown cost"
BROKEN_OFF = ", without the last questions of games that stopped"
# Where a call's price is from, the first that knows it.
RECORDED, OWN, LISTED = "recorded in the traces", "the team's own prices", "the price table"
TEAM = ["team", "simulated", "condition"]
SCHEMA = {"model": pl.String} | dict.fromkeys(KINDS, pl.Float64) | {"dated": pl.String}


def costs(
    games: pl.DataFrame, calls: pl.DataFrame, prices: pl.DataFrame, own: pl.DataFrame | None = None
) -> pl.DataFrame:
    """One row per team and condition (its key), in Appendix K's columns.

    games, calls: those tables; prices, own: see `price_by_origin`. usd_* are sums over calls, empty where the price of
    one is not known or no model was called, and without `uncounted_attempts` and what `stopped` games asked last;
    `cached_calls` of the calls were paid for before their games, and cost `usd_cached` then. `priced_by` names where
    prices are from, with the number of calls of each where they differ.
    """
    priced = price_by_origin(calls, prices, own).join(games.select("game_id", *TEAM, "setting"), on="game_id")
    spent = priced.group_by(TEAM).agg(
        calls=pl.len(),
        models=pl.col("model").drop_nulls().unique().sort().str.join(", "),
        input_tokens=pl.col("input_tokens").sum(),
        output_tokens=pl.col("output_tokens").sum(),
        unmetered=(pl.col("usd").is_null() & ~pl.col("metered")).sum(),
        unpriced=pl.col("usd").is_null().sum(),
        failed_attempts=pl.col("failed_attempts").sum(),
        uncounted_attempts=pl.col("uncounted_attempts").sum(),
        usd_uniform=_complete_sum(pl.col("usd").filter(pl.col("setting") == "uniform")),
        usd_varied=_complete_sum(pl.col("usd").filter(pl.col("setting") == "varied")),
        usd_total=_complete_sum(pl.col("usd")),
        cached_calls=pl.col("from_cache").fill_null(False).sum(),
        usd_cached=pl.col("usd").filter(pl.col("from_cache").fill_null(False)).sum(),
    )
    played = games.group_by(TEAM).agg(games=pl.len(), stopped=pl.col("stopped").sum())
    rows = played.join(spent, on=TEAM, how="left").join(_origins(priced), on=TEAM, how="left")
    rows = rows.with_columns(pl.col("calls").fill_null(0))
    return rows.with_columns(verdict=_verdict()).sort(TEAM)


def price_calls(calls: pl.DataFrame, prices: pl.DataFrame) -> pl.DataFrame:
    """Every call with the price of its tokens in US dollars (`usd`, empty where unknown), `metered`, `price_known` and
    `dated`, by one list of prices as `read_prices` returns it.

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
    return calls.join(prices, on="model", how="left", maintain_order="left").with_columns(
        usd=usd / MILLION,
        metered=metered,
        price_known=pl.col("input").is_not_null() & pl.col("output").is_not_null(),
    )


def price_by_origin(calls: pl.DataFrame, prices: pl.DataFrame, own: pl.DataFrame | None = None) -> pl.DataFrame:
    """Every call with `usd`, `metered` and the `origin` of its price: RECORDED, OWN or LISTED, with date or version.

    What the trace recorded when the call was made counts first, then the team's own prices, then the table's.
    """
    listed = price_calls(calls, prices)
    recorded = pl.format("{} ({})", pl.lit(RECORDED), pl.coalesce("priced_by", pl.lit("from where is not said")))
    usd, origin = [calls["cost_usd"]], [calls.select(pl.when(pl.col("cost_usd").is_not_null()).then(recorded))]
    for name, priced in ((OWN, None if own is None else price_calls(calls, own)), (LISTED, listed)):
        if priced is not None:
            usd.append(priced["usd"])
            dated = pl.format("{} ({})", pl.lit(name), "dated")
            origin.append(priced.select(pl.when(pl.col("usd").is_not_null()).then(dated)))
    return calls.with_columns(
        usd=pl.coalesce(usd),
        origin=pl.coalesce([frame.to_series() for frame in origin]),
        metered=listed["metered"],
    )


def _origins(priced: pl.DataFrame) -> pl.DataFrame:
    """One row per team and condition with a priced call: `priced_by`."""
    counted = priced.drop_nulls("origin").group_by(*TEAM, "origin").len().sort(-pl.col("len").cast(pl.Int64), "origin")
    named = pl.when(pl.len().over(TEAM) > 1).then(pl.format("{}: {}", "origin", "len")).otherwise("origin")
    return counted.with_columns(named=named).group_by(TEAM).agg(priced_by=pl.col("named").str.join("; "))


def _complete_sum(values: pl.Expr) -> pl.Expr:
    """The sum, null where a value is missing or there is none."""
    return pl.when((values.len() > 0) & values.is_not_null().all()).then(values.sum())


def _verdict() -> pl.Expr:
    """What became of a team's cost, and what is in no sum. Only games of models stop: without a call, at the first
    question."""
    found = (
        pl.when(pl.col("calls") == 0)
        .then(pl.when(pl.col("stopped") > 0).then(pl.lit(NO_ANSWER)).otherwise(pl.lit(NO_CALL)))
        .when(pl.col("unmetered") > 0)
        .then(pl.lit(NO_TOKENS))
        .when(pl.col("unpriced") > 0)
        .then(pl.lit(NO_PRICE))
        .otherwise(pl.lit(MEASURED))
    )
    missing = (
        pl.when(pl.col(column) > 0).then(pl.format("{}: {}", pl.lit(text), column)).otherwise(pl.lit(""))
        for text, column in ((UNCOUNTED, "uncounted_attempts"), (BROKEN_OFF, "stopped"))
    )
    return pl.concat_str(found, *missing)


def billed(spent: pl.DataFrame) -> str:
    """What calls cost, in a sentence or two of plain text. spent: of `costs`."""
    called, stopped = spent.filter(pl.col("calls") > 0), int(spent["stopped"].sum())
    broken_off = f" {counted(stopped, 'game')} stopped: what the last question of each took is in no sum."
    if called.is_empty() and stopped:
        return f"No model gave an answer in these games, so there is none to bill.{broken_off}"
    if called.is_empty():
        return "No model was called in these games, so there is nothing to bill."
    known, unknown = called.drop_nulls("usd_total"), called.filter(pl.col("usd_total").is_null())
    unbilled = counted(int(unknown["calls"].sum()), "call")
    if known.is_empty():
        return f"{unbilled} to models, and no team of which all tokens and prices are known."
    number, cached = int((known["calls"] - known["cached_calls"]).sum()), int(known["cached_calls"].sum())
    of_whom = f"{unknown.height} of {called.height} teams and conditions, some of whose tokens or prices are not known"
    partly = f", without {unbilled} of {of_whom}" if unknown.height else ""
    usd, then = float(known["usd_total"].sum()), float(known["usd_cached"].sum())
    cost = f"{counted(number, 'call')} to models cost {_dollars(max(0.0, usd - then))}{partly}."
    missed = int(known["uncounted_attempts"].sum())
    more = {
        f" {counted(cached, 'answer')} from the cache had cost {_dollars(then)} when first given.": cached,
        f" Of {counted(missed, 'failed attempt')} nobody noted the cost: they may add to it.": missed,
        broken_off: stopped,
    }
    return cost + "".join(text for text, number in more.items() if number)


def _dollars(usd: float) -> str:
    return f"{usd:,.{2 if usd >= 1 else 4}f} US dollars"


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
    return pl.DataFrame(rows, schema=SCHEMA, orient="row").sort("model")


def read_own_prices(path: Path) -> pl.DataFrame:
    """The prices that a team's file states for its models, as `read_prices` returns them.

    Raises ValueError, naming the file, where it states none, or several for a model; OSError where it can't be read.
    """
    import yaml

    try:
        spec = yaml.safe_load(path.read_text(encoding="utf-8"))
        stated = [agent["parameters"] for agent in spec["agents"] if agent.get("parameters", {}).get("prices")]
        rows = [(p["model"], *map(p["prices"].get, KINDS), _dated(path, p["prices"])) for p in stated]
        listed = pl.DataFrame(rows, schema=SCHEMA, orient="row").unique().sort("model")
    except (yaml.YAMLError, UnicodeDecodeError, TypeError, LookupError, AttributeError, pl.exceptions.PolarsError):
        raise ValueError(f"{path} is no team's file with prices (agents: parameters: model, prices)") from None
    if listed.is_empty():
        raise ValueError(f"{path} states no prices; write prices: {{input: …, output: …, date: …}} beside its model")
    for model in listed.filter(pl.col("model").is_duplicated())["model"]:
        raise ValueError(f"{path} states prices for {model} that differ; write the same beside it everywhere")
    return listed


def _dated(path: Path, prices: Mapping[str, Any]) -> str:
    return f"{path.name}, {prices['date']}" if prices.get("date") else path.name


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

    from machine.output import replacing

    with replacing(path) as target:
        text = yaml.safe_dump(litellm_prices(team_models()), sort_keys=False, default_flow_style=None, width=120)
        target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_prices()
