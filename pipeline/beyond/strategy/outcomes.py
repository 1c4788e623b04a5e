"""Games with liars beside the truthful games of the same tasks, what lies change there, and what probers learn."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.beyond.leakage.gains import pair_gains
from pipeline.beyond.leakage.measure import of_games, read_statements, read_tables, setting_parts
from pipeline.beyond.strategy.play import read_name
from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.resampling import Resampling
from pipeline.tables.queries import attach

AGENTS = Path(__file__).with_name("agents.sql")
PROBERS = Path(__file__).with_name("probers.sql")

SUMS = ("cost", "missed", "points", "vps_total", "observers", "pair_rounds", "observed", "updates", "denied")
BITS = ("bits", "bits_true")
KEY = ("protocol", "lie", "seats", "task_id")

# Each measure of probers: numerator, denominator, per how many. Leaks are messages; labels are told to the prober.
MEASURES = {
    "induced leaks per 1000 messages": ("induced", "messages", 1000),
    "labels learnt a game": ("labels", "games", 1),
    "questions answered or refused a game": ("questions", "games", 1),
    "labels learnt per 100 questions": ("labels", "questions", 100),
    "messages a game": ("messages", "games", 1),
}
DIFFERENCE = "adaptive - fixed"
DIFFERENCES = {"labels": "labels learnt a game", "induced": "induced leaks a game"}
GROUP = ("protocol", "setting", "lie")
ALL = "all"
LIARS = pl.col("liars")


def agents_of(tables: Path) -> pl.DataFrame:
    """One row per game and agent of a folder of derived tables, as agents.sql says."""
    with attach(tables) as connection:
        agents: pl.DataFrame = connection.sql(AGENTS.read_text(encoding="utf-8")).pl()
    return agents


def outcomes(lying: pl.DataFrame, truthful: pl.DataFrame) -> pl.DataFrame:
    """One row per game in which some lie, beside the truthful one (the columns of `strategy_outcomes`).

    lying, truthful: frames of `agents_of` with the columns of `bits_about`, which may be empty; the teams of the first
    are named as pipeline.beyond.strategy.play names them, those of the second after their protocol.
    Raises ValueError for a game without its truthful one.
    """
    lies = [(team, *read_name(team)) for team in lying["team"].unique().sort()]
    seats = pl.DataFrame(
        [(team, protocol, lie, "-".join(map(str, liars)), list(liars)) for team, protocol, lie, liars in lies],
        schema=dict.fromkeys(("team", "protocol", "lie", "seats"), pl.String) | {"lying": pl.List(pl.Int64)},
        orient="row",
    )
    marked = lying.join(seats, on="team")
    counterparts = marked.select(*KEY, "agent", "lying").join(
        truthful.rename({"team": "protocol"}), on=["protocol", "task_id", "agent"]
    )
    both = by_game(marked).join(by_game(counterparts).drop("setting", "liars"), on=KEY, suffix="_truthful")
    if both.height != lying["game_id"].n_unique():
        raise ValueError("a game with liars has no truthful game of its protocol on its task: play those first")
    return both


def by_game(agents: pl.DataFrame) -> pl.DataFrame:
    """One row per game (KEY): what the agents of the list `lying` paid and gave away together, and what others paid."""
    lies = pl.col("lying").list.contains(pl.col("agent"))
    own = [pl.col(name).filter(lies).sum().alias(f"own_{name}") for name in SUMS]
    ordered = agents.sort(*KEY, "agent")
    sums = ordered.group_by(KEY, maintain_order=True).agg(
        pl.col("setting").first(),
        *own,
        *(pl.when(pl.col(name).filter(lies).null_count() == 0).then(pl.col(name).filter(lies).sum()) for name in BITS),
        liars=pl.col("lying").first().list.len().cast(pl.Int64),
        others_cost=pl.col("cost").filter(~lies).sum(),
        failed=pl.col("failed").first(),
    )
    shares = sums.with_columns(
        pl.col(BITS) / pl.col("own_observers"),
        vps_about=pl.when(pl.col("own_observed") > 0).then(pl.col("own_vps_total") / pl.col("own_observed")),
        vps_all_pairs=pl.col("own_vps_total") / pl.col("own_pair_rounds"),
    )
    return shares.rename({"own_points": "points", "own_updates": "updates", "own_denied": "denied"})


def increase(name: str) -> pl.Expr:
    """How much greater a column is than in the truthful game."""
    return pl.col(name) - pl.col(f"{name}_truthful")


def decrease(name: str) -> pl.Expr:
    """How much smaller a column is than in the truthful game."""
    return pl.col(f"{name}_truthful") - pl.col(name)


def gain(prices: Mapping[str, float] | None = None) -> pl.Expr:
    """What a liar's moves cost it less than in the truthful game, a mean over the liars.

    prices: what a failed meeting costs each participant, by setting; nothing where it is not given.
    """
    price = pl.col("setting").replace_strict(dict(prices), return_dtype=pl.Float64) if prices else pl.lit(0.0)
    return (decrease("own_cost") + price * decrease("own_missed")) / LIARS


def measures(prices: Mapping[str, float]) -> dict[str, tuple[pl.Expr, pl.Expr]]:
    """Each measure of `strategy_effects` as a numerator and a denominator of one game; means are ratios of their sums.

    gain, gain_priced: of a liar, without and with the price of failed meetings. saved: gain as a share of what it pays
    when it is truthful. gains, loses: whether gain is above, or below, 0. harm: what all others pay more. total: what
    all pay more. missed: meetings that a liar misses more. failed: meetings that fail more. points: of DSM's that a
    liar has more. vps_about, vps_all_pairs, bits, bits_true: about the liars, more than in the truthful game. denied:
    share of the updates about them that call a possible slot impossible.
    """
    one = pl.lit(1.0)
    return {
        "gain": (gain(), one),
        "gain_priced": (gain(prices), one),
        "saved": (gain(), pl.col("own_cost_truthful") / LIARS),
        "gains": (gain() > 0, one),
        "loses": (gain() < 0, one),
        "harm": (increase("others_cost"), one),
        "total": (increase("own_cost") + increase("others_cost"), one),
        "missed": (increase("own_missed") / LIARS, one),
        "failed": (increase("failed"), one),
        "points": (increase("points") / LIARS, one),
        "vps_about": increase_where_known("vps_about"),
        "vps_all_pairs": (increase("vps_all_pairs"), one),
        "bits": increase_where_known("bits"),
        "bits_true": increase_where_known("bits_true"),
        "denied": (pl.col("denied"), pl.col("updates")),
    }


def increase_where_known(name: str) -> tuple[pl.Expr, pl.Expr]:
    """The increase of a column over the games in which both sides have it, as numerator and denominator."""
    difference = increase(name)
    return difference.fill_null(0.0), difference.is_not_null()


def effects(outcomes: pl.DataFrame, prices: Mapping[str, float], resampling: Resampling) -> pl.DataFrame:
    """One row per protocol, setting, lie, seats (also `all`) and measure: strategy_effects.

    outcomes: strategy_outcomes; prices: as for `gain`.
    """
    by = (*GROUP, "seats", "measure")
    with_all = pl.concat([outcomes, outcomes.with_columns(seats=pl.lit(ALL))])
    lines = [
        with_all.select(
            *GROUP,
            "seats",
            "task_id",
            measure=pl.lit(name),
            numerator=above.cast(pl.Float64),
            denominator=below.cast(pl.Float64),
        )
        for name, (above, below) in measures(prices).items()
    ]
    return ratio_intervals(pl.concat(lines), by, resampling)


def bits_about(tables: Path, teams: Sequence[str], settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per standard game of the teams and agent: the bits about it that all others hold at the end, added up.

    bits: what their beliefs moved by; bits_true: towards what is so, below 0 where they are misled.
    settings: the `leakage` block of notebooks/beyond/params.yaml.
    """
    derived = read_tables(tables)
    games = derived["games"].filter(pl.col("team").is_in(list(teams)), condition="standard")
    parts = []
    for part, prior in setting_parts(of_games(derived, games), settings):
        _, statements, likelihoods = read_statements(part, prior)
        pairs, _ = pair_gains(statements, likelihoods, prior, settings["least"])
        parts.append(pairs.select("game_id", "target_agent", *(pl.col(f"new_{name}").alias(name) for name in BITS)))
    lists = pl.concat(parts).sort("game_id", "target_agent").group_by("game_id", "target_agent", maintain_order=True)
    sums = lists.agg(*BITS).with_columns(pl.col(*BITS).list.sum()).rename({"target_agent": "agent"})
    agents = games.select("game_id", agent=pl.int_ranges(pl.col("num_agents"))).explode("agent")
    return agents.join(sums, on=["game_id", "agent"], how="left").with_columns(pl.col(*BITS).fill_null(0.0))


def probed_games(tables: Path) -> pl.DataFrame:
    """One row per game with a prober of a folder of derived tables, as probers.sql says."""
    with attach(tables) as connection:
        games: pl.DataFrame = connection.sql(PROBERS.read_text(encoding="utf-8")).pl()
    return games


def probers(games: pl.DataFrame, resampling: Resampling) -> pl.DataFrame:
    """One row per team of speakers, kind of prober (or their difference on the same tasks) and measure:
    strategy_probers. games: of `probed_games`. A difference is taken task by task, per game.
    """
    named = games.with_columns(
        speakers=pl.col("team").str.split(".").list.first(), prober=pl.col("team").str.split(".").list.last()
    )
    lines = pl.concat([measure_lines(named, name) for name in MEASURES])
    means = ratio_intervals(lines, ["speakers", "prober", "measure"], resampling)
    pairs = pl.concat([difference_lines(named, counted, name) for counted, name in DIFFERENCES.items()])
    differences = ratio_intervals(pairs, ["speakers", "prober", "measure"], resampling)
    return pl.concat([means, differences])


def measure_lines(games: pl.DataFrame, measure: str) -> pl.DataFrame:
    """One row per game: its numerator and denominator of a measure."""
    above, below, per = MEASURES[measure]
    return games.select(
        "speakers",
        "prober",
        "task_id",
        measure=pl.lit(measure),
        numerator=pl.col(above).cast(pl.Float64) * per,
        denominator=pl.col(below).cast(pl.Float64),
    )


def difference_lines(games: pl.DataFrame, counted: str, measure: str) -> pl.DataFrame:
    """One row per team of speakers and task: by how much the adaptive prober exceeds the fixed one there, per game."""
    adapts = pl.col("prober") == "adaptive"
    signed = pl.when(adapts).then(pl.col(counted)).otherwise(-pl.col(counted)).cast(pl.Float64)
    return games.group_by("speakers", "task_id").agg(
        prober=pl.lit(DIFFERENCE),
        measure=pl.lit(measure),
        numerator=signed.sum(),
        denominator=adapts.sum().cast(pl.Float64),
    )
