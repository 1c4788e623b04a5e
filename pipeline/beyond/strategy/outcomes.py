"""Games with liars beside the truthful games of the same tasks, what lies change there, and what probers learn.

`python -m pipeline.beyond.strategy.outcomes` makes the tables.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pipeline import beyond
from pipeline.beyond import DERIVED, params
from pipeline.beyond.leakage.gains import pair_gains
from pipeline.beyond.leakage.measure import of_games, read_statements, read_tables, setting_parts
from pipeline.beyond.strategy.play import CHOSEN, REPORTED, liars, read_name
from pipeline.beyond.strategy.responses import costs_of, gains, lies_of, priced, responses
from pipeline.beyond.tables import declare, write
from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.resampling import Resampling
from pipeline.tables import paths
from pipeline.tables.queries import attach

TABLES = declare(
    """
    strategy_outcomes (protocol, lie, seats, task_id): one game in which some agents lie, beside the truthful game of
        the same protocol on the same task
    protocol: str the team whose protocol everybody plays
    lie: str how the liars lie, or the deal of a pair: a name in notebooks/beyond/params.yaml
    seats: str who lies: agents from 0, a dash between those of a pair
    task_id: str the task
    setting: str uniform or varied errand costs
    liars: int how many lie
    own_cost: int [cost] what the liars' moves cost them, together
    others_cost: int [cost] what all others' moves cost them
    own_missed: int meetings of the liars that failed, each once for each liar in it
    failed: int meetings of the game that failed
    points: int [points] the liars' balance of DSM's points, as initiators and as responders; 0 elsewhere
    vps_about: float [VPS] VPS about the liars, mean over observed pair-rounds; empty without any
    vps_all_pairs: float [VPS] VPS about the liars, mean over all pair-rounds, unobserved ones as 0
    updates: int belief updates about the liars
    bits: float [bits] bits about a liar that another agent holds at the end, mean over pairs; empty if not measured
    bits_true: float [bits] log2(posterior / prior) of the truth, likewise: below 0 where others are misled
    denied: int how many of `updates` call a slot impossible which was possible
    own_cost_truthful: int [cost] own_cost in the truthful game, of the same agents
    others_cost_truthful: int [cost] others_cost in the truthful game, of the same agents
    own_missed_truthful: int own_missed in the truthful game, of the same agents
    failed_truthful: int failed in the truthful game, of the same agents
    points_truthful: int [points] points in the truthful game, of the same agents
    vps_about_truthful: float [VPS] vps_about in the truthful game, of the same agents
    vps_all_pairs_truthful: float [VPS] vps_all_pairs in the truthful game, of the same agents
    updates_truthful: int updates in the truthful game, of the same agents
    bits_truthful: float [bits] bits in the truthful game, of the same agents
    bits_true_truthful: float [bits] bits_true in the truthful game, of the same agents
    denied_truthful: int denied in the truthful game, of the same agents

    strategy_effects (protocol, setting, lie, seats, measure): one measure of what a lie does in a protocol and setting,
        for all seats together or for one
    protocol, setting, lie
    seats: str who lies; all: every seat, or pair, in turn
    measure: str gain, harm, …: pipeline/beyond/strategy/outcomes.py
    mean: float its mean over games
    low: float its 95 % interval
    high: float its end
    games: int games with a value
    tasks: int tasks, which are drawn anew for intervals

    strategy_responses (protocol, setting, lie): one lie of the search: what it gains on the suite of choice, at which
        prices it is the best there, and what it gains on the suite that is reported
    protocol, setting
    lie: str what is claimed, and after a dash what is done after the talk; the truth claims nothing
    search_gain: float [cost] its mean gain on the suite of choice, failures free; empty of the truth
    search_missed: float meetings of the liar that fail more there, mean
    best_from: float [cost] the least price of a failed meeting at which it is the best there
    best_to: float [cost] the price from which another is; empty where none is
    gain: float [cost] mean gain, failures free, on the suite that is reported; empty where it was not played there
    low_gain: float [cost] lower end of the 95 % interval of gain, failures free, on the suite that is reported; empty
        where it was not played there
    high_gain: float [cost] its end: gain, failures free, on the suite that is reported; empty where it was not played
        there
    missed: float mean meetings of the liar that fail more, on the suite that is reported; empty where it was not played
        there
    low_missed: float lower end of the 95 % interval of meetings of the liar that fail more, on the suite that is
        reported; empty where it was not played there
    high_missed: float its end: meetings of the liar that fail more, on the suite that is reported; empty where it was
        not played there
    saved: float mean share of what the liar pays when truthful that it saves, on the suite that is reported; empty
        where it was not played there
    low_saved: float lower end of the 95 % interval of share of what the liar pays when truthful that it saves, on the
        suite that is reported; empty where it was not played there
    high_saved: float its end: share of what the liar pays when truthful that it saves, on the suite that is reported;
        empty where it was not played there
    harm: float [cost] mean cost that all others pay more, on the suite that is reported; empty where it was not played
        there
    low_harm: float [cost] lower end of the 95 % interval of cost that all others pay more, on the suite that is
        reported; empty where it was not played there
    high_harm: float [cost] its end: cost that all others pay more, on the suite that is reported; empty where it was
        not played there
    break_even: float [cost] mean gain by meeting missed, the price that takes it away; empty without any, on the suite
        that is reported; empty where it was not played there
    low_break_even: float [cost] lower end of the 95 % interval of gain by meeting missed, the price that takes it away;
        empty without any, on the suite that is reported; empty where it was not played there
    high_break_even: float [cost] its end: gain by meeting missed, the price that takes it away; empty without any, on
        the suite that is reported; empty where it was not played there

    strategy_prices (protocol, setting, price): one price of a failed meeting: the lie that is best at it on the suite
        of choice, and its gain on the other
    protocol, setting
    price: float [cost] what a failed meeting costs each participant
    lie: str the best lie on the suite of choice, or the truth
    gain: float [cost] its mean gain at that price on the suite that is reported
    low: float [cost] its 95 % interval
    high: float [cost] its end
    p: float that the gain is 0: sign-flip test over tasks
    saved: float the gain as a share of what the liar pays when truthful
    saved_low: float its 95 % interval
    saved_high: float its end

    strategy_probers (speakers, prober, measure): one team of simulated speakers with one kind of adversary, or the
        difference of the two kinds, and a measure
    speakers: str the simulated team: a style, or mixed
    prober: str fixed (the study's), adaptive, or adaptive - fixed on the same tasks
    measure: str induced leaks per 1000 messages, …: pipeline/beyond/strategy/outcomes.py
    mean
    low: float its 95 % interval
    high: float its end
    games, tasks
    """
)


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


def queried(tables: Path, name: str) -> pl.DataFrame:
    """The rows that `name`.sql beside this file finds in a folder of derived tables."""
    with attach(tables) as connection:
        rows: pl.DataFrame = connection.sql(Path(__file__).with_name(f"{name}.sql").read_text(encoding="utf-8")).pl()
    return rows


def outcomes(lying: pl.DataFrame, truthful: pl.DataFrame) -> pl.DataFrame:
    """One row per game in which some lie, beside the truthful one (the columns of `strategy_outcomes`).

    lying, truthful: rows of agents.sql with the columns of `bits_about`, which may be empty; the teams of the first
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


def probers(games: pl.DataFrame, resampling: Resampling) -> pl.DataFrame:
    """One row per team of speakers, kind of prober (or their difference on the same tasks) and measure:
    strategy_probers. games: rows of probers.sql. A difference is taken task by task, per game.
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


def main(derived: Path = DERIVED / "strategy", truthful: Path = paths.TABLES, out: Path = beyond.TABLES) -> None:
    p, resampling = params("strategy"), Resampling(**paths.params("intervals"))
    lying = [lie.team for lie, _ in liars(p) if lie.lie in p["bits"]]
    games = outcomes(agents_with_bits(derived, lying), agents_with_bits(truthful, p["protocols"]))
    space = p["responses"]
    chosen, reported = (gains(costs_of(folder)) for folder in (CHOSEN, REPORTED))
    lies = [name for name, _ in lies_of(space, "varied")]
    frames = {
        "strategy_outcomes": games,
        "strategy_effects": effects(games, p["missed"], resampling),
        "strategy_responses": responses(chosen, reported, lies, resampling),
        "strategy_prices": priced(chosen, reported, lies, space["prices"], space["draws"], resampling),
        "strategy_probers": probers(queried(derived, "probers"), resampling),
    }
    write(frames, TABLES, out)


def agents_with_bits(tables: Path, teams: Sequence[str]) -> pl.DataFrame:
    """One row per game and agent of a folder of derived tables, of agents.sql; bits in games of the teams alone."""
    bits = bits_about(tables, teams, params("leakage"))
    return queried(tables, "agents").join(bits, on=["game_id", "agent"], how="left", maintain_order="left")


if __name__ == "__main__":
    main()
