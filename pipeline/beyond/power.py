"""How many games tell two teams apart: variance components, the paired t test's power, and what games cost.

`python -m pipeline.beyond.power` makes the tables, with those of subsuites.py.
"""

import re
import sys
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import isfinite, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline import beyond
from pipeline.beyond.subsuites import (
    MEASURES,
    MissingGames,
    Row,
    Scores,
    aligned,
    curve_rows,
    pairs_of,
    repeat_of,
    scores,
    standard_games,
    subsuite_row,
)
from pipeline.beyond.tables import declare, frames_of, write
from pipeline.paper.costs import price_calls, read_prices
from pipeline.statistics.resampling import Array, stream
from pipeline.tables import paths
from pipeline.tables.io import read_table

TABLES = declare(
    """
    enough_components (setting, measure, teams): one group of teams, setting and measure: the variance components of its
        standard games
    setting: str uniform or varied errand costs
    measure: str excess_cost, vps (equal weights, observed pairs) or dms_per_meeting
    teams: str protocols, or styles, which are simulated
    number: int teams of the group
    tasks: int tasks that all have played
    repeats: int games of a task by each team
    var_team: float variance of teams' means
    var_task: float variance of tasks' means: pairing takes it out
    var_interaction: float variance of what a team makes of a task, beyond both
    var_repeat: float variance of a team's games of one task; 0 for protocols, which play it alike

    enough_power (setting, measure, teams, difference, repeats): one group, setting, measure, difference and number of
        repeats
    setting, measure, teams
    difference: float the difference of two teams' means that is to be found
    repeats: int games of each task by each team
    tasks: int tasks that a paired t test needs; empty beyond enough.most_tasks
    least_tasks: int of the group's pairs, each with its own variances, the one that needs fewest
    most_tasks: int the one that needs most; empty beyond enough.most_tasks
    games: int games of both teams together
    simulated_power: float power of as many tasks drawn from our games, mean over the group's pairs
    least_simulated_power: float the least of the pairs
    input_tokens: float [tokens] estimated tokens in of those games, were a model to play them
    output_tokens: float [tokens] estimated tokens out
    usd_least: float [US dollars] their price at the cheapest listed model
    usd_most: float [US dollars] their price at the dearest

    enough_pairs (setting, measure, a, b): one pair of teams, setting and measure
    setting, measure
    a: str one team
    b: str the other
    difference: float mean of a − b over tasks and games
    var_interaction: float variance of the difference over tasks, with any number of repeats
    var_repeat: float what one game of each adds to it
    tasks: int tasks that find that difference with one game each; empty where there is none or too many
    tasks_with_repeats: int the same with enough.pair_repeats games each
    detectable: float the difference that the suite's tasks find with that power, one game each
    p: float that the difference is 0: paired t test over tasks, all games
    simulated_power: float power of `tasks` tasks drawn from our games; 80 % by the formula

    enough_money (model): one model with a known price: what a game of it takes, by estimate
    model: str the model, with its provider
    input_tokens: float [tokens] tokens in, a game
    output_tokens: float [tokens] tokens out, a game
    usd: float [US dollars] the price of a game
    dated: str where the price is from
    estimated: str how the tokens were estimated

    enough_subsuite (setting, measure): one setting and measure: the smallest sub-suite that keeps the ranking of all
        teams
    setting
    measure: str excess_cost, vps, dms_per_meeting, or all: the three together
    size: int its tasks, proven least
    tasks: list[str] their names; of several smallest sub-suites the one with the earliest tasks
    same: float share of pairs that it orders rightly in the games it was chosen from: 1
    new_chosen: float the share in new games, against the order of all tasks and games; empty without
    new_random: float the same of random sub-suites of its size, on average
    new_whole: float the same of the whole suite
    left_out_chosen: float the share of pairs with a team that the choice did not see, mean over teams
    left_out_random: float the same of random sub-suites as large as those choices

    enough_curve (setting, measure, size): one setting, measure and size of random sub-suites
    setting, measure
    size: int tasks of a sub-suite
    mean: float mean share of pairs of teams ordered as by the whole suite
    low: float the share that 95 % of sub-suites reach
    exact: float share of sub-suites that keep the ranking of all teams
    """
)


@dataclass(frozen=True)
class Components:
    """Variances of y = μ + team + task + team·task + repeat; negative estimates are 0.

    `interaction` stays in a paired difference however often games are repeated; `repeat` is averaged away.
    """

    team: float
    task: float
    interaction: float
    repeat: float


def components(values: Array) -> Components:
    """The components of teams × tasks × repeats values, at least two of the first two.

    With one repeat the last two can't be told apart and count as interaction, as befits teams that play a task the same
    way each time. Expected mean squares: Searle, Casella and McCulloch (1992), section 4.5.
    """
    teams, tasks, repeats = values.shape
    cells = values.mean(axis=2)
    by_team, by_task, grand = cells.mean(axis=1), cells.mean(axis=0), cells.mean()
    team_square = tasks * repeats * float(((by_team - grand) ** 2).sum()) / (teams - 1)
    task_square = teams * repeats * float(((by_task - grand) ** 2).sum()) / (tasks - 1)
    residuals = cells - by_team[:, None] - by_task[None, :] + grand
    both_square = repeats * float((residuals**2).sum()) / ((teams - 1) * (tasks - 1))
    within = float(((values - cells[:, :, None]) ** 2).sum()) / (teams * tasks * max(1, repeats - 1))
    return Components(
        max(0.0, (team_square - both_square) / (tasks * repeats)),
        max(0.0, (task_square - both_square) / (teams * repeats)),
        max(0.0, (both_square - within) / repeats),
        within,
    )


def difference_variance(variances: Components, repeats: int) -> float:
    """Variance over tasks of the difference of two teams' means of `repeats` games: 2 (interaction + repeat / R)."""
    return 2 * (variances.interaction + variances.repeat / repeats)


@dataclass(frozen=True)
class Pair:
    """Two teams' difference a − b: its mean, what tasks make of it, and what repeats do."""

    difference: float
    interaction: float
    repeat: float

    def variance(self, repeats: int) -> float:
        """Variance over tasks of the difference of means of `repeats` games."""
        return self.interaction + self.repeat / repeats


def pair(one: Array, other: Array) -> Pair:
    """The pair's difference from tasks × repeats values each; a team with one repeat plays the same way each time."""
    means = one.mean(axis=1) - other.mean(axis=1)
    noise = [within(values) for values in (one, other)]
    averaged = sum(n / values.shape[1] for n, values in zip(noise, (one, other), strict=True))
    return Pair(float(means.mean()), max(0.0, float(means.var(ddof=1)) - averaged), sum(noise))


def within(values: Array) -> float:
    """Variance among a task's repeats, pooled over tasks; 0 with one repeat."""
    return float(values.var(axis=1, ddof=1).mean()) if values.shape[1] > 1 else 0.0


def stacked(scores: Scores) -> Array:
    """Teams × tasks × repeats, as many repeats as every team has."""
    repeats = min(values.shape[1] for values in scores.values.values())
    return np.stack([values[:, :repeats] for _, values in sorted(scores.values.items())])


AT_ONCE = 2_000_000  # differences held in memory


@dataclass(frozen=True)
class Aim:
    """A two-sided paired t test at level alpha that is to have a power; more than `most` tasks are not considered.

    A power is checked by `draws` simulated studies of at most `most_simulated` tasks.
    """

    alpha: float
    power: float
    most: int
    draws: int = 0
    most_simulated: int = 0


def power_of(difference: float, deviation: float, tasks: int, alpha: float) -> float:
    """Power of the paired t test, by the noncentral t distribution: df = tasks − 1, shifted by δ √tasks / deviation."""
    from scipy.stats import nct, t  # type: ignore[import-untyped]

    if deviation == 0:
        return 1.0 if difference else alpha
    shift, freedom = abs(difference) * sqrt(tasks) / deviation, tasks - 1
    bound = float(t.ppf(1 - alpha / 2, freedom))
    power = float(nct.sf(bound, freedom, shift) + nct.cdf(-bound, freedom, shift))
    return power if isfinite(power) else integrated_power(bound, freedom, shift)


def integrated_power(bound: float, freedom: int, shift: float) -> float:
    """P(|Z + shift| > bound · s), s² distributed as χ² / df: for where SciPy's noncentral t gives no number."""
    from scipy.integrate import quad  # type: ignore[import-untyped]
    from scipy.stats import chi, norm

    root = sqrt(freedom)

    def density(s: float) -> float:
        reached = norm.sf(bound * s - shift) + norm.cdf(-bound * s - shift)
        return float(reached * chi.pdf(s * root, freedom) * root)

    spread = 12 / sqrt(2 * freedom)
    return min(1.0, float(quad(density, max(0.0, 1 - spread), 1 + spread, limit=200)[0]))


def tasks_needed(difference: float, deviation: float, test: Aim) -> int | None:
    """The fewest tasks, at least 2, with which the test has its power; None beyond `test.most`.

    difference: of the teams' means; deviation: the standard deviation of their difference over tasks.
    """

    def enough(tasks: int) -> bool:
        return power_of(difference, deviation, tasks, test.alpha) >= test.power

    low, high = 1, 2
    while not enough(high):
        if high >= test.most:
            return None
        low, high = high, min(2 * high, test.most)
    return bisect_left(range(high), True, lo=low + 1, key=enough)


def detectable(deviation: float, tasks: int, test: Aim) -> float:
    """The difference that so many tasks find with the test's power: δ of power_of(δ, deviation, tasks) = power.

    It depends on what was observed only by the deviation: the power at the observed difference would be its p value
    again.
    """
    from scipy.optimize import brentq  # type: ignore[import-untyped]

    def missing(difference: float) -> float:
        return power_of(difference, 1.0, tasks, test.alpha) - test.power

    return deviation * float(brentq(missing, 0.0, 100.0))


def simulated_power(
    one: Array, other: Array, tasks: int, repeats: int, test: Aim, names: tuple[str, ...], to: float | None = None
) -> float:
    """The share of the test's draws, studies of so many tasks and games of each, that find the teams different.

    one, other: tasks × repeats values. Each study draws tasks with replacement, and for each of them and each team as
    many of its games without; differences are paired by task. With `to`, all are shifted so that the mean difference is
    `to`. `names` names the stream.
    """
    rng = stream("enough", *names, str(tasks), str(repeats))
    shift = 0.0 if to is None else to - float(one.mean() - other.mean())
    rejections, left = 0, test.draws
    while left:
        studies = max(1, min(left, AT_ONCE // (tasks * repeats)))
        chosen = rng.integers(len(one), size=(studies, tasks))
        first, second = (mean_of_games(values, chosen, repeats, rng) for values in (one, other))
        rejections += int(rejected(first - second + shift, test.alpha).sum())
        left -= studies
    return rejections / test.draws


def mean_of_games(values: Array, chosen: NDArray[np.int64], repeats: int, rng: np.random.Generator) -> Array:
    """Studies × tasks: the mean of `repeats` games of each chosen task. A team with one game plays it again.

    No game is drawn twice: with replacement, a few games would stand in for many and repeats seem to help less.
    """
    if values.shape[1] == 1:
        return np.asarray(values[chosen, 0])
    which = rng.permuted(np.broadcast_to(np.arange(values.shape[1]), (*chosen.shape, values.shape[1])), axis=-1)
    return np.asarray(values[chosen[..., None], which[..., :repeats]].mean(axis=-1))


def rejected(differences: Array, alpha: float) -> NDArray[np.bool_]:
    """Of each study (a row of differences), whether a two-sided paired t test rejects that their mean is 0."""
    from scipy.stats import t

    tasks = differences.shape[1]
    means, deviations = differences.mean(axis=1), differences.std(axis=1, ddof=1)
    bound = float(t.ppf(1 - alpha / 2, tasks - 1))
    return np.asarray(np.abs(means) * np.sqrt(tasks) > bound * deviations)


def component_row(scores: Scores, teams: str) -> Row:
    """The variance components of a group of teams: the columns of enough_components after the measure."""
    values = stacked(scores)
    variances = components(values)
    named = {name: getattr(variances, name) for name in ("team", "task", "interaction", "repeat")}
    return {"teams": teams, "number": values.shape[0], "tasks": values.shape[1], "repeats": values.shape[2]} | {
        f"var_{name}": value for name, value in named.items()
    }


def power_rows(
    scores: Scores, teams: str, differences: Sequence[float], repeats: Sequence[int], test: Aim
) -> Iterator[Row]:
    """One row a difference and number of repeats: tasks that tell two teams of the group apart, and their check."""
    variances = components(stacked(scores))
    # Who plays a task the same way each time gains nothing by repeats.
    for count in repeats if variances.repeat else repeats[:1]:
        for difference in differences:
            tasks = tasks_needed(difference, sqrt(difference_variance(variances, count)), test)
            powers = []
            if tasks is not None and tasks <= test.most_simulated and count <= most_repeats(scores):
                powers = [simulated(scores, pair, tasks, count, test, difference) for pair in scores.pairs]
            of_pairs = [
                tasks_needed(difference, sqrt(pair(scores.values[a], scores.values[b]).variance(count)), test)
                for a, b in scores.pairs
            ]
            yield {
                "teams": teams,
                "difference": difference,
                "repeats": count,
                "tasks": tasks,
                "least_tasks": min((n for n in of_pairs if n is not None), default=None),
                "most_tasks": None if None in of_pairs else max(n for n in of_pairs if n is not None),
                "simulated_power": sum(powers) / len(powers) if powers else None,
                "least_simulated_power": min(powers, default=None),
            }


def most_repeats(scores: Scores) -> int:
    """How many games of a task a study can draw: as many as everybody played, of those who play it in several ways."""
    return min((v.shape[1] for v in scores.values.values() if v.shape[1] > 1), default=1)


def simulated(
    scores: Scores, teams: tuple[str, str], tasks: int, repeats: int, test: Aim, to: float | None = None
) -> float:
    """The simulated power of a study of two teams as they are, or their games shifted to differ by `to` on average."""
    names = (scores.setting, scores.measure, *teams, *([] if to is None else [str(to)]))
    one, other = (scores.values[team] for team in teams)
    return simulated_power(one, other, tasks, repeats, test, names, to)


def pair_rows(scores: Scores, repeats: int, test: Aim) -> Iterator[Row]:
    """One row a pair of teams: the difference that they have, what it takes to find it, and what the suite finds."""
    from scipy.stats import ttest_rel

    for a, b in scores.pairs:
        teams = pair(scores.values[a], scores.values[b])
        differ = teams.difference != 0
        once, often = (sqrt(teams.variance(count)) for count in (1, repeats))
        needed = tasks_needed(teams.difference, once, test) if differ else None
        played = None
        if needed is not None and needed <= test.most_simulated:
            played = simulated(scores, (a, b), needed, 1, test)
        means = [scores.values[team].mean(axis=1) for team in (a, b)]
        yield {
            "a": a,
            "b": b,
            "difference": teams.difference,
            "var_interaction": teams.interaction,
            "var_repeat": teams.repeat,
            "tasks": needed,
            "tasks_with_repeats": tasks_needed(teams.difference, often, test) if differ else None,
            "detectable": detectable(once, len(scores.tasks), test),
            "p": float(ttest_rel(*means).pvalue) if (means[0] != means[1]).any() else 1.0,
            "simulated_power": played,
        }


LINE = re.compile(r"^\S+: (\d+) games, about \d+ calls \(.*?\), (\d+) tokens in, (\d+) out", re.MULTILINE)
HOW = re.compile(r"^estimated by .*$", re.MULTILINE)

ALL = "all"


class NoEstimate(ValueError):
    """The text holds no estimate."""


@dataclass(frozen=True)
class Estimate:
    """What one game takes in tokens, and how that was estimated."""

    input_tokens: float
    output_tokens: float
    how: str


def read_estimate(text: str) -> Estimate:
    """The estimate that `python -m sim run … --dry-run` printed, for one game. Raises NoEstimate."""
    line, how = LINE.search(text), HOW.search(text)
    if not line or not how:
        raise NoEstimate("it holds no estimate: make it with `python -m sim run … --dry-run` and a model's team")
    games, tokens_in, tokens_out = (int(number) for number in line.groups())
    return Estimate(tokens_in / games, tokens_out / games, how[0])


def game_prices(estimate: Estimate, prices: pl.DataFrame) -> pl.DataFrame:
    """One row a model with a known price: what one game takes of it. prices: of `read_prices`."""
    calls = prices.select(
        "model",
        input_tokens=pl.lit(estimate.input_tokens),
        output_tokens=pl.lit(estimate.output_tokens),
        cached_input_tokens=pl.lit(None, pl.Int64),
    )
    priced = price_calls(calls, prices).filter("price_known")
    return priced.select("model", "input_tokens", "output_tokens", "usd", "dated", estimated=pl.lit(estimate.how))


def games_of(tables: Path, repeats: Path, protocols: list[str]) -> pl.DataFrame:
    """The protocols' games of the study, and the simulated styles' games of several repeats."""
    study, repeated = (
        standard_games(read_table(folder, "games"), read_table(folder, "game_summary")) for folder in (tables, repeats)
    )
    return pl.concat([study.filter(pl.col("team").is_in(protocols)), repeated]).sort("team", "task_id", "repeat")


def with_prices(rows: Sequence[Row], money: pl.DataFrame) -> list[Row]:
    """The rows of enough_power with the games, tokens and money that they take. money: of `game_prices`."""
    per_game = {
        "input_tokens": money["input_tokens"][0],
        "output_tokens": money["output_tokens"][0],
        "usd_least": money["usd"].min(),
        "usd_most": money["usd"].max(),
    }
    games = [row["tasks"] and 2 * row["tasks"] * row["repeats"] for row in rows]
    return [
        row | {"games": n, **{name: n and n * amount for name, amount in per_game.items()}}
        for row, n in zip(rows, games, strict=True)
    ]


def power_tables(rows: pl.DataFrame, p: Mapping[str, Any], money: pl.DataFrame) -> dict[str, list[Row]]:
    """Table → rows on what tells two teams apart; a group of which fewer than two teams have played has none.

    rows: of `games_of`; p: the block `enough` of notebooks/beyond/params.yaml; money: of `game_prices`.
    """
    test = Aim(p["alpha"], p["power"], p["most_tasks"], p["draws"], p["most_simulated"])
    parts: list[Row] = []
    power: list[Row] = []
    pairs: list[Row] = []
    for setting, measure in product(sorted(rows["setting"].unique()), MEASURES):
        all_scores, key = scores(rows, setting, measure), {"setting": setting, "measure": measure}
        for group, teams in p["groups"].items():
            group_scores, differences = all_scores.of(teams), p["differences"][setting][measure]
            if not group_scores.comparable:
                continue
            parts.append(key | component_row(group_scores, group))
            power += [key | r for r in power_rows(group_scores, group, differences, p["repeats"], test)]
        if all_scores.comparable:
            pairs += [key | r for r in pair_rows(all_scores, p["pair_repeats"], test)]
    return {"enough_components": parts, "enough_power": with_prices(power, money), "enough_pairs": pairs}


def subsuite_tables(rows: pl.DataFrame, p: Mapping[str, Any]) -> dict[str, list[Row]]:
    """Table → rows on which tasks keep the ranking; none where there is no ranking to keep. Arguments: as before."""
    small: list[Row] = []
    curve: list[Row] = []
    for setting in sorted(rows["setting"].unique()):
        measured = [scores(rows, setting, measure) for measure in MEASURES]
        for name, chosen in [*((s.measure, [s]) for s in measured), (ALL, aligned(measured))]:
            if not any(pairs_of(repeat_of(s, 0)) for s in chosen):
                continue
            key, sizes = {"setting": setting, "measure": name}, range(1, len(chosen[0].tasks) + 1)
            small.append(key | subsuite_row(chosen, p["subsets"], p["seconds"]))
            curve += [key | r for r in curve_rows(chosen, sizes, p["subsets"])]
    return {"enough_subsuite": small, "enough_curve": curve}


def main(tables: Path = paths.TABLES, repeats: Path = beyond.DERIVED / "enough", out: Path = beyond.TABLES) -> None:
    """Write the tables. Where games are missing, one line says which, and what to play."""
    p = beyond.params("enough")
    rows = games_of(tables, repeats, p["groups"]["protocols"])
    money = game_prices(read_estimate(Path(p["estimate"]).read_text(encoding="utf-8")), read_prices())
    try:
        of_tables = power_tables(rows, p, money) | subsuite_tables(rows, p)
    except MissingGames as missing:
        sys.exit(f"error: {missing}. Let it play what is missing, and derive that: docs/beyond/enough.md says how")
    write(frames_of(of_tables, TABLES) | {"enough_money": money}, TABLES, out)


if __name__ == "__main__":
    main()
