"""An attacker who learns from the games of other tasks what a view means, of talk in English as of messages.

    python -m pipeline.beyond.leakage.learned TABLES [TABLES …] --beside TEAM    # of any derived tables; prints
    python -m pipeline.beyond.leakage.learned                                    # of the study's: learned_teams

It reads what was said slot by slot (observed_statements, with and without figures of costs), and of the view beside
it who spoke and who kept silent, in which order slots came, the slot that was chosen and its own calendar. How probable
each state of a slot is after such a view, it counts in all other tasks of the team and setting. Bits are log2 of that
over the same without the view, summed over slots: a lower bound of what the view tells, so far as the slots' forecasts
without it are right.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import polars as pl

from machine.terminal import escaped
from pipeline import beyond
from pipeline.beyond.leakage.measure import Statements, Tables, of_games, read_statements, read_tables, setting_parts
from pipeline.beyond.leakage.statements import Calendars, calendars
from pipeline.beyond.tables import declare, write
from pipeline.privacy.beliefs import ratio
from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.by_game import UNKNOWN, ended
from pipeline.statistics.resampling import Array, Resampling
from pipeline.tables import paths
from pipeline.tables.paths import no_tables

TABLES = declare(
    """
    learned_teams (setting, team, measure): one setting, team and measure, of standard games: what an attacker learns
        who has learnt from other tasks
    setting: str uniform or varied errand costs
    team: str who played
    measure: str bits_… or share_… of initiator, responder or everybody; excess_cost and other costs
    mean: float bits of a view, or of all participants in a round; a share: of poll-spoken's bits
    low: float lower end of its 95 % interval, tasks drawn anew
    high: float upper end
    games: int games that have a value
    tasks: int tasks that have one
    """
)

SLOT = ["game_id", "round", "observer_agent", "target_agent", "slot"]
PAIR = SLOT[:-1]
# What is looked at, the coarsest first: a cell that other tasks hold too seldom leans on the one before. What is known
# before anybody says anything: who takes part, and what the observer holds in the slot itself.
BEFORE = (("roles",), ("own",))
LOOKS = (("place",), ("said",), ("spoken", "rank"))
COSTS = ("excess_cost", "coordination_rate_pct", "dms_per_meeting")
ROLES = ("initiator", "responder", "everybody")


def learned_bits(tables: Tables, settings: Mapping[str, Any], weight: float) -> pl.DataFrame:
    """One row per game, round and observer who took part: setting, team, task_id, role, and the bits that it learns of
    all other agents' calendars.

    settings: the `leakage` block of notebooks/beyond/params.yaml. weight: how many slots the coarser look counts for.
    """
    parts = []
    for part, prior in setting_parts(tables, settings):
        for (team,), games in part["games"].group_by("team", maintain_order=True):
            played = of_games(part, games)
            read = [read_statements(played, prior, figures) for figures in (False, True)]
            seen = looks(played, *read)
            bits = forecast_bits(seen, len(prior.states), weight)
            grouped = seen.with_columns(bits=bits).group_by("game_id", "round", "observer_agent", "task_id", "role")
            sums = grouped.agg(pl.col("bits").sort().sum()).sort("game_id", "round", "observer_agent")
            parts.append(sums.with_columns(setting=pl.lit(games["setting"][0]), team=pl.lit(team)))
    return pl.concat(parts)


def looks(tables: Tables, plain: Statements, figures: Statements) -> pl.DataFrame:
    """One row per SLOT that is secret to an observer who takes part: its `state`, `task_id`, the observer's `role`, and
    what BEFORE and LOOKS name. plain, figures: what was said, costs in figures passed over and believed."""
    grid = pl.concat(list(_grid(tables, calendars(plain.history))))
    contents = [_contents(of.rows) for of in (plain, figures)]
    order = plain.rows.with_row_index("order").group_by(SLOT).agg(pl.col("order").min())
    stated = order.join(contents[0], on=SLOT).join(contents[1], on=SLOT).with_columns(
        said=pl.concat_str("said", "said_right", separator="/"),
        rank=pl.col("order").rank("ordinal").over(PAIR).clip(1, 4).cast(pl.Int64),
    )  # fmt: skip
    spoken = stated.group_by(PAIR).agg(spoken=sum((pl.len() >= n).cast(pl.Int64) for n in (1, 2, 5, 16)))
    seen = grid.join(stated.select(*SLOT, "said", "rank"), on=SLOT, how="left").join(spoken, on=PAIR, how="left")
    return seen.with_columns(pl.col("said").fill_null(""), pl.col("rank", "spoken").fill_null(0)).sort(SLOT)


def _contents(rows: pl.DataFrame) -> pl.DataFrame:
    """Of each SLOT the distinct things said of it, as one text."""
    return rows.group_by(SLOT).agg(said=pl.col("content").unique().sort().cast(pl.String).str.join(","))


def _grid(tables: Tables, boards: Mapping[str, Calendars]) -> Iterator[pl.DataFrame]:
    """The slots that are secret to who takes part, round by round."""
    tasks = dict(tables["games"].select("game_id", "task_id").iter_rows())
    names = ("game_id", "round", "participants", "slot", "coordinated")
    for game, number, members, slot, coordinated in tables["rounds"].select(names).iter_rows():
        state, held = boards[game].state[number], boards[game].held[number]
        agents, slots = state.shape
        ranks = [sorted(members).index(a) if a in members else -1 for a in range(agents)]
        place = np.sign(np.arange(slots) - slot) if coordinated else np.full(slots, 2)
        for observer in sorted(members):
            secret = ((held >= 0) | (held != held[observer])) & (np.arange(agents) != observer)[:, None]
            targets, slots_of = np.nonzero(secret)
            yield pl.DataFrame(
                {"game_id": game, "task_id": tasks[game], "round": number, "observer_agent": observer,
                 "role": "initiator" if ranks[observer] == 0 else "responder", "target_agent": targets,
                 "slot": slots_of, "state": state[targets, slots_of], "own": state[observer, slots_of],
                 "place": place[slots_of], "roles": [f"{ranks[observer]} {ranks[t]}" for t in targets]}
            )  # fmt: skip


def forecast_bits(seen: pl.DataFrame, states: int, weight: float) -> Array:
    """Of each row log2 of the true state's forecast after LOOKS over that after BEFORE, counted in rows of other tasks.

    Half a slot is added to each state's share, so that none is impossible.
    """
    state = seen["state"].to_numpy()
    certain = np.eye(states)[state]
    shares = _elsewhere(seen, certain, []) + 0.5
    forecasts: list[Array] = [shares / shares.sum(axis=1, keepdims=True)]
    cell: list[str] = []
    for look in (*BEFORE, *LOOKS):
        cell += look
        counts = _elsewhere(seen, certain, cell)
        forecasts.append((counts + weight * forecasts[-1]) / (counts.sum(axis=1, keepdims=True) + weight))
    before, after = (forecasts[n][np.arange(len(state)), state] for n in (len(BEFORE), -1))
    return np.asarray(np.log2(after / before))


def _elsewhere(seen: pl.DataFrame, certain: Array, cell: Sequence[str]) -> Array:
    """Rows × states: how often each state occurs in the same cell in other tasks."""
    return _counts(seen, certain, cell) - _counts(seen, certain, [*cell, "task_id"])


def _counts(seen: pl.DataFrame, certain: Array, cell: Sequence[str]) -> Array:
    """Rows × states: how often each state occurs in the row's cell."""
    if not cell:
        return np.broadcast_to(certain.sum(axis=0), certain.shape)
    number = seen.select(pl.struct(cell).rank("dense")).to_series().to_numpy() - 1
    sums = np.zeros((int(number.max()) + 1, certain.shape[1]))
    np.add.at(sums, number, certain)
    return np.asarray(sums[number])


def by_team(tables: Tables, bits: pl.DataFrame, beside: str, resampling: Resampling) -> pl.DataFrame:
    """One row per setting, team and measure: learned_teams. bits: of `learned_bits`; beside: the team whose bits on the
    same tasks the others' are shares of, a game against a game, however often each played a task; where these bits are
    below 0 in all, as of one who misleads, there are no shares."""
    key = ["setting", "team", "task_id"]
    every = bits.group_by(*key, "game_id", "round").agg(pl.col("bits").sort().sum(), role=pl.lit("everybody"))
    by_role = pl.concat([bits.select(every.columns), every]).sort(*key, "role", "game_id", "round", "bits")
    sums = by_role.group_by(*key, "role", maintain_order=True).agg(
        pl.col("bits").sum(),
        views=pl.len().cast(pl.Float64),
        a_game=pl.col("bits").sum() / pl.col("game_id").n_unique(),
    )
    base = sums.filter(team=beside).select("setting", "task_id", "role", base="a_game")
    of = base.group_by("setting", "role").agg(pl.col("base").sum()).filter(pl.col("base") > 0)
    shares = sums.join(base.join(of, on=["setting", "role"], how="semi"), on=["setting", "task_id", "role"])
    games = tables["games"].with_columns(
        coordination_rate_pct=100 * pl.col("coordination_rate"),
        dms_per_meeting=ratio(pl.col("dms"), pl.col("meetings_scheduled")),
    )
    lines = [sums.select(*key, measure="bits_" + pl.col("role"), numerator="bits", denominator="views"),
             shares.select(*key, measure="share_" + pl.col("role"), numerator="a_game", denominator="base"),
             *(games.drop_nulls(name).select(*key, measure=pl.lit(name), numerator=pl.col(name).cast(pl.Float64),
                                             denominator=pl.lit(1.0)) for name in COSTS)]  # fmt: skip
    return ratio_intervals(pl.concat(lines), ["setting", "team", "measure"], resampling)


def standard_games(folders: Sequence[Path], teams: Sequence[str] | None = None) -> dict[str, pl.DataFrame]:
    """The tables of the standard games that ended, each once, of several folders together; a game without a setting is
    of setting `unknown`. teams: None for all."""
    parts: list[dict[str, pl.DataFrame]] = []
    for folder in folders:
        tables = read_tables(folder)
        games = ended(tables["games"]).filter(condition="standard").with_columns(pl.col("setting").fill_null(UNKNOWN))
        for before in parts:
            games = games.join(before["games"], on="game_id", how="anti", maintain_order="left")
        parts.append(of_games(tables, games if teams is None else games.filter(pl.col("team").is_in(teams))))
    return {name: pl.concat([part[name] for part in parts]) for name in parts[0]}


def study(out: Path = beyond.TABLES) -> None:
    """The study's own comparison: learned_teams."""
    params = beyond.params("talk")
    tables = standard_games([paths.TABLES, beyond.DERIVED / "talk"], params["teams"])
    write({"learned_teams": compared(tables, params["beside"])}, TABLES, out, rounded=True)


def compared(tables: Tables, beside: str) -> pl.DataFrame:
    """learned_teams of some games, by the parameters of notebooks/beyond/params.yaml."""
    leakage = beyond.params("leakage")
    bits = learned_bits(tables, leakage, beyond.params("talk")["weight"])
    return by_team(tables, bits, beside, Resampling(**leakage["intervals"]))


def compare(folders: Sequence[Path], beside: str | None) -> None:
    """Print the comparison of the teams in some folders of tables, setting by setting, on the tasks that all ended."""
    every = standard_games(folders)
    teams = every["games"]["team"].unique().sort().to_list()
    team = beside or next(iter(teams), "")
    if team not in teams:
        refuse(f"no standard game of {team or 'any team'} in these tables; teams: {', '.join(teams) or 'none'}")
    ended_by = pl.col("team").n_unique()
    by_all = ended_by.over("setting", "task_id") == ended_by.over("setting")
    games, task = every["games"].with_columns(by_all=by_all), pl.col("task_id")
    counts = (
        games.group_by("setting").agg(tasks=task.filter("by_all").n_unique(), every=task.n_unique()).sort("setting")
    )
    for setting in counts.filter(pl.col("tasks") < 2)["setting"]:
        few = f"{setting} costs: fewer than two tasks that all teams ended"
        refuse(f"{few}, so that there is no other to learn from; play more tasks")
    means = compared(of_games(every, games.filter("by_all").drop("by_all")), team)
    show(means.with_columns(pl.col("team").map_elements(escaped, pl.String)), counts, team)


def refuse(problem: str) -> NoReturn:
    """End with one line that says what is wrong."""
    print(escaped(f"error: {problem}"), file=sys.stderr)
    sys.exit(2)


def show(means: pl.DataFrame, counts: pl.DataFrame, beside: str) -> None:
    """Print learned_teams. counts: each setting, its tasks that all teams ended, and every one that any team did."""
    mean, low, high = (pl.col(c).round(2).cast(pl.String) for c in ("mean", "low", "high"))
    text = pl.when(low.is_null()).then(mean).otherwise(pl.format("{} [{}, {}]", mean, low, high))
    measures = [*COSTS, *(f"{kind}_{role}" for kind in ("bits", "share") for role in ROLES)]
    order = pl.DataFrame({"measure": measures})
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=1000, tbl_hide_dataframe_shape=True,
                   tbl_hide_column_data_types=True):  # fmt: skip
        for setting, tasks, every in counts.iter_rows():
            shown = means.filter(setting=setting).with_columns(text=text).pivot("team", index="measure", values="text")
            out = f" ({every - tasks} left out, which not all teams ended)" if tasks < every else ""
            print(escaped(f"{setting} costs, {tasks} tasks{out}; shares are of the bits of {beside}"))
            print(order.join(shown, on="measure", how="left", maintain_order="left"))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="What an attacker who learns from other tasks is told, team by team")
    parser.add_argument("tables", nargs="*", type=Path, help="folders of derived tables; none: the study's")
    parser.add_argument("--beside", help="the team whose bits the others' are shares of; by default the first")
    arguments = parser.parse_args()
    for absent in filter(None, map(no_tables, arguments.tables)):
        parser.error(absent)
    if arguments.tables:
        compare(arguments.tables, arguments.beside)
    else:
        study()


if __name__ == "__main__":
    main()
