"""An attacker who sees the whole view: what a round's messages, their order and turns, silence and the decision tell
whoever saw them, beside its own calendar. And the floor: the least that any truthful proof of the slot can tell.

For a protocol of one's own, give `LIKELIHOODS` a function (view, beliefs, states) → P(view):

- `View` (statements.py): what some observers of one round saw together, who takes part, and the protocol's
  parameters, which are public.
- `beliefs` (`Calendars.beliefs`): agents × slots × states, what the observers hold of every agent's slots as the round
  begins; their own are certain, and so are those in which they hold a meeting with the agent.
- `view_bits(view, beliefs, truth, states)`: bits that the view tells of all other agents' calendars together;
  `bits_about(…, target)`: of one other agent's, whatever the view tells of the rest.

Bits are log2 of posterior over prior of the true calendars, P(view | truth) / P(view | own calendar). Where a protocol
leaves nothing to chance, P(view | truth) = 1, and the bits are −log2 P(view | own calendar), never below 0.
"""

from collections.abc import Callable, Mapping
from math import inf, log2
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from pipeline.beyond.leakage.gains import ROUND_PAIR, Prior, floor_bits, slot_gains
from pipeline.beyond.leakage.measure import Statements, Tables, of_games, read_statements, read_tables, setting_parts
from pipeline.beyond.leakage.poll_views import poll_likelihood
from pipeline.beyond.leakage.statements import View, calendars, held_out_priors, role, views
from pipeline.beyond.leakage.views import (
    dsm_likelihood,
    imap_likelihood,
    kbit_likelihood,
    noisy_likelihood,
    sd_likelihood,
    secure_likelihood,
    shares_likelihood,
)
from pipeline.privacy.protocols.states import States
from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.by_game import ended
from pipeline.statistics.resampling import Array, Resampling

Likelihood = Callable[[View, Array, States], float]

LIKELIHOODS: Mapping[str, Likelihood] = {
    "imap": imap_likelihood,
    "imap-kbit": kbit_likelihood,
    "imap-noisy": noisy_likelihood,
    "sd": sd_likelihood,
    "secure": secure_likelihood,
    "shares": shares_likelihood,
    "poll": poll_likelihood,
    "dsm": dsm_likelihood,
    "dsm-log": dsm_likelihood,
}

STATED, HELD_OUT = "stated", "other tasks"
EVERYBODY = "everybody"
BY = ["suite", "setting", "prior", "team", "role", "measure"]
VIEWS = {
    "setting": pl.String,
    "task_id": pl.String,
    "prior": pl.String,
    "game_id": pl.String,
    "round": pl.Int64,
    "role": pl.String,
    "observers": pl.String,
    "bits": pl.Float64,
    "floor_bits": pl.Float64,
}


def view_bits(view: View, beliefs: Array, truth: Array, states: States) -> float:
    """Bits about all other agents' calendars together; infinite where the view cannot be, by the beliefs.

    truth: as beliefs, all of it certain. Raises ValueError where the messages are not what the protocol would say.
    """
    of = LIKELIHOODS[view.protocol]
    of_truth = of(view, truth, states)
    if not of_truth > 0:
        raise ValueError(f"these messages are none of {view.protocol}'s with these calendars and parameters")
    chance = of(view, beliefs, states)
    return log2(of_truth / chance) if chance > 0 else inf


def bits_about(view: View, beliefs: Array, truth: Array, states: States, target: int) -> float:
    """Bits about the target's calendar alone: log2 of posterior over prior of its true states."""
    of = LIKELIHOODS[view.protocol]
    known = beliefs.copy()
    known[target] = truth[target]
    return log2(of(view, known, states) / of(view, beliefs, states))


class Attacked(NamedTuple):
    """A team whose views are measured: its agents' type, their parameters, the folder of its tables, and the suite."""

    team: str
    protocol: str
    parameters: Mapping[str, Any]
    folder: Path
    suite: str


def attack(of: Attacked, leakage: Mapping[str, Any], max_turns: int) -> pl.DataFrame:
    """One row per prior, round and observers of a team's standard games: VIEWS, with `literal_bits` under the stated
    prior.

    leakage: that block of notebooks/beyond/params.yaml; max_turns: sweeps of talk that a round has at most.
    """
    tables = read_tables(of.folder)
    games = ended(tables["games"]).filter(team=of.team, condition="standard")
    parts = [
        _with_literal(_setting_views(part, prior, statements, of, max_turns), statements, prior, leakage["least"])
        for part, prior in setting_parts(of_games(tables, games), leakage)
        for statements in [read_statements(part, prior)]
    ]
    return pl.concat(parts).with_columns(team=pl.lit(of.team), suite=pl.lit(of.suite))


def _setting_views(tables: Tables, prior: Prior, statements: Statements, of: Attacked, max_turns: int) -> pl.DataFrame:
    """One row per prior, round and observers of one setting's games: VIEWS."""
    states, boards, games = prior.states, calendars(statements.history), tables["games"]
    tasks = dict(games.select("game_id", "task_id").iter_rows())
    priors: dict[str, Mapping[str, Array]] = {
        STATED: dict.fromkeys(tasks.values(), prior.probability),
        HELD_OUT: held_out_priors(games, boards, states),
    }
    setting, slots = str(games["setting"][0]), int(games["num_slots"][0])
    agreed = pl.when("coordinated").then("slot")
    chosen = {(g, n): slot for g, n, slot in tables["rounds"].select("game_id", "round", agreed).iter_rows()}
    rows = []
    for game, view in views(tables["rounds"], tables["messages"], of.protocol, of.parameters, slots, max_turns, True):
        truth, slot = boards[game].truth(view.round, states), chosen[game, view.round]
        for name, by_task in priors.items():
            beliefs = boards[game].beliefs(view.round, view.observers, by_task[tasks[game]], states)
            proven = view.takes_part and slot is not None
            floor = floor_bits(view.participants, slot, beliefs, truth, states) if proven else None
            bits = view_bits(view, beliefs, truth, states)
            observers = "+".join(map(str, view.observers))
            rows.append((setting, tasks[game], name, game, view.round, role(view), observers, bits, floor))
    return pl.DataFrame(rows, schema=VIEWS, orient="row")


def _with_literal(seen: pl.DataFrame, statements: Statements, prior: Prior, least: float) -> pl.DataFrame:
    """The views with `literal_bits`: what the round's messages say to the observer slot by slot, of all others."""
    by_slot, _ = slot_gains(statements.rows, [*ROUND_PAIR, "slot"], statements.likelihoods, prior, least)
    by_observer = by_slot.group_by("game_id", "round", observers=pl.col("observer_agent").cast(pl.String)).agg(
        literal_bits=pl.col("bits").sort().sum()
    )
    alone = ~pl.col("observers").str.contains("+", literal=True) & (pl.col("prior") == STATED)
    joined = seen.join(by_observer, on=["game_id", "round", "observers"], how="left", maintain_order="left")
    return joined.with_columns(literal_bits=pl.when(alone).then(pl.col("literal_bits").fill_null(0.0)))


def view_means(seen: pl.DataFrame, baseline: str, resampling: Resampling) -> pl.DataFrame:
    """One row per suite, setting, prior, team, role and measure: frontier_told. seen: of `attack`, of all teams."""
    alone = seen.filter(~pl.col("observers").str.contains("+", literal=True))
    summed = alone.group_by("suite", "setting", "prior", "team", "task_id", "game_id", "round").agg(
        pl.col("bits", "literal_bits").sort().sum(), role=pl.lit(EVERYBODY), floor_bits=pl.lit(None, pl.Float64)
    )
    summed = summed.with_columns(literal_bits=pl.when(prior=STATED).then("literal_bits"))
    every = pl.concat([seen.select(summed.columns), summed])
    by = ["suite", "setting", "prior", "team", "role", "task_id"]
    sums = every.sort(*by, "game_id", "round", "bits").group_by(by, maintain_order=True).agg(
        bits=pl.col("bits").sum(), views=pl.len().cast(pl.Float64),
        literal=pl.col("literal_bits").sum(), literal_views=pl.col("literal_bits").count().cast(pl.Float64),
        floor=pl.col("floor_bits").sum(), floor_views=pl.col("floor_bits").count().cast(pl.Float64),
        of_floor=pl.col("bits").filter(pl.col("floor_bits").is_not_null()).sum(),
    )  # fmt: skip
    base = sums.filter(team=baseline).select(*by[:3], "role", "task_id", base="bits")
    sums = sums.join(base, on=[*by[:3], "role", "task_id"], how="left", maintain_order="left")
    measures = {"bits": ("bits", "views"), "literal_bits": ("literal", "literal_views"),
                "floor_bits": ("floor", "floor_views"), "times_floor": ("of_floor", "floor"),
                "share": ("bits", "base")}  # fmt: skip
    lines = [
        sums.select(
            *by, measure=pl.lit(name), numerator=pl.col(above).fill_null(0.0), denominator=pl.col(below).fill_null(0.0)
        )
        for name, (above, below) in measures.items()
    ]
    means = ratio_intervals(pl.concat(lines), BY, resampling)
    return means.filter(pl.col("mean").is_not_null() & pl.col("mean").is_finite())
