"""What a team's calls to models cost: recorded tokens at dated prices (Appendix K). Unknown stays unknown, never 0."""

import polars as pl

NEEDS_TRACES, NO_TOKENS, NO_PRICE, MEASURED = (
    "needs model traces",
    "tokens not recorded",
    "price not known",
    "measured",
)
TEAM = ["team", "simulated", "condition"]
PER = 1_000_000  # tokens that a price is for


def costs(games: pl.DataFrame, calls: pl.DataFrame, prices: pl.DataFrame) -> pl.DataFrame:
    """One row per team and condition, in Appendix K's columns.

    games, calls: those tables; prices: rows of `prices.read_prices`. usd_* are what the recorded tokens cost at the
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
    found = played.join(spent, on=TEAM, how="left").with_columns(pl.col("calls").fill_null(0))
    return found.with_columns(verdict=_verdict()).sort(TEAM)


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
        usd=usd / PER,
        metered=metered,
        price_known=pl.col("input").is_not_null() & pl.col("output").is_not_null(),
    )


def _complete_sum(values: pl.Expr) -> pl.Expr:
    """The sum, or nothing where a value is missing or none is there."""
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
