"""The view of one game: its rows in all tables as one nested record, with calendars by round and costs so far.

A view is plain JSON: dicts, lists, text, numbers, true, false and null.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.reports.views.beliefs import prior_of
from pipeline.reports.views.calendars import grid_after_round, initial_grid
from pipeline.reports.views.sentences import outcome, sentence

COLUMNS = {
    "agents": ("agent", "agent_type", "model", "nosy", "cost", "oracle_cost"),
    "rounds": (
        "round", "meeting_id", "participants", "speaker_order", "coordinated", "slot", "oracle_slot", "dms", "cost",
        "optimal_cost", "participant_slots", "failure_reason", "violated_meetings", "violated_since",
    ),
    "items": ("agent", "slot", "item_kind", "item_id", "cost", "blocked"),
    "moves": (
        "event_index", "action_index", "round", "phase", "agent",
        "item_kind", "item_id", "from_slot", "to_slot", "cost",
    ),
    "messages": ("event_index", "round", "turn", "channel", "from_agent", "to_agents", "content", "typed"),
    "belief_evidence": (
        "event_index", "update_index", "observer_agent", "target_agent", "slot", "source", "evidence", "strength",
        "span_start", "span_end", "belief_before", "belief_after",
    ),
    "pair_round_vps": ("round", "target_agent", "observer_agent", "vps_loss", "weight_mode", "prior"),
    "patterns": ("event_index", "round", "pattern", "agent", "span_start", "span_end", "strict"),
    "leaks": (
        "event_index", "from_agent", "to_agent", "label", "tier", "matched_text", "span_start", "span_end", "induced",
        "recipient_entitled",
    ),
    "labels_known": ("kind", "item_id", "label", "tier"),
    "thoughts": ("event_index", "round", "phase", "agent", "content"),
}  # fmt: skip

OPTIONAL_TABLES = ("thoughts",)  # tables that folders of earlier versions may lack

MEETING_COST = 1  # of a meeting that no move shows a cost for

Rows = list[dict[str, Any]]
View = dict[str, Any]


def game_views(tables: Path, game_ids: Sequence[str]) -> Iterator[View]:
    """The views of games, in the order of game_ids. The tables are read once for all of them.

    Raises KeyError for a game that the tables do not hold.
    """
    games = {row["game_id"]: row for row in read_rows(tables, "games", game_ids, ("*",))}
    rows = {name: rows_by_game(read_rows(tables, name, game_ids, columns)) for name, columns in COLUMNS.items()}
    for game_id in game_ids:
        if game_id not in games:
            raise KeyError(f"no game {game_id} in {tables}")
        yield build_view({"games": [games[game_id]], **{name: groups[game_id] for name, groups in rows.items()}})


def game_view(tables: Path, game_id: str) -> View:
    """The view of one game. Raises KeyError when the tables do not hold it."""
    return next(game_views(tables, [game_id]))


def build_view(rows: Mapping[str, Rows]) -> View:
    """The view of a game from its rows in each table: `game`, `prior`, `agents`, `labels` and `rounds`."""
    game = rows["games"][0]
    grid = initial_grid(rows["items"], game["num_agents"], game["num_slots"])
    by_round: dict[str, dict[int, Rows]] = {
        name: rows_by(rows[name], "round") for name in ("messages", "moves", "pair_round_vps", "patterns", "thoughts")
    }
    updates, leaks = rows_by(rows["belief_evidence"], "event_index"), rows_by(rows["leaks"], "event_index")
    costs = {m["item_id"]: m["cost"] for m in rows["moves"] if m["item_kind"] == "meeting"}
    rounds, spent = [], 0
    for round_row in sorted(rows["rounds"], key=lambda row: row["round"]):
        number = round_row["round"]
        round_rows = {name: groups[number] for name, groups in by_round.items()}
        before = grid
        grid = grid_after_round(grid, round_rows["moves"], round_row, costs.get(round_row["meeting_id"], MEETING_COST))
        spent += round_row["cost"]
        messages = [message_view(row, updates, leaks, round_rows["patterns"]) for row in round_rows["messages"]]
        message_events = {message["event_index"] for message in messages}
        rounds.append(
            {
                **round_row,
                "before": before,
                "after": grid,
                "moves": round_rows["moves"],
                "messages": messages,
                "patterns": [row for row in round_rows["patterns"] if row["event_index"] not in message_events],
                "vps": [
                    row
                    for row in round_rows["pair_round_vps"]
                    if row["weight_mode"] == "uniform" and row["vps_loss"] is not None
                ],
                "thoughts": round_rows["thoughts"],
                "cost_so_far": spent,
                "outcome": outcome(round_row),
            }
        )
    labels = {kind: labels_of(rows["labels_known"], kind) for kind in ("errand", "meeting")}
    prior = prior_of(rows["pair_round_vps"])
    return {"game": game, "prior": prior, "agents": rows["agents"], "labels": labels, "rounds": rounds}


def message_view(
    row: dict[str, Any], updates: Mapping[int, Rows], leaks: Mapping[int, Rows], patterns: Rows
) -> dict[str, Any]:
    """A message with its belief updates, leaks and patterns, and a typed one in words."""
    event = row["event_index"]
    shown = [pattern for pattern in patterns if pattern["event_index"] == event]
    in_words = sentence(row["content"], row["typed"])
    return {**row, "in_words": in_words, "updates": updates[event], "leaks": leaks[event], "patterns": shown}


def labels_of(rows: Rows, kind: str) -> dict[int, dict[str, Any]]:
    """Label and tier of each errand or meeting that has one."""
    return {row["item_id"]: {"label": row["label"], "tier": row["tier"]} for row in rows if row["kind"] == kind}


def read_rows(tables: Path, name: str, game_ids: Sequence[str], columns: Sequence[str]) -> Rows:
    """The games' rows of a table, in its order: game_id and the columns."""
    path = tables / f"{name}.parquet"
    if not game_ids or (name in OPTIONAL_TABLES and not path.is_file()):
        return []
    # Tables are sorted by game: row groups outside the range are not read.
    in_range = pl.col("game_id").is_between(pl.lit(min(game_ids)), pl.lit(max(game_ids)))
    frame = pl.scan_parquet(path, glob=False).filter(in_range & pl.col("game_id").is_in(list(game_ids)))
    wanted = frame if "*" in columns else frame.select("game_id", *columns)
    return wanted.collect().to_dicts()


def tables_prior(tables: Path) -> float | None:
    """What beliefs start from in a folder of tables; None where nobody learnt anything."""
    return prior_of(
        pl.scan_parquet(tables / "pair_round_vps.parquet", glob=False).select("prior").head(1).collect().to_dicts()
    )


def rows_by_game(rows: Rows) -> dict[str, Rows]:
    groups: dict[str, Rows] = defaultdict(list)
    for row in rows:
        groups[row.pop("game_id")].append(row)
    return groups


def rows_by(rows: Rows, column: str) -> dict[int, Rows]:
    groups: dict[int, Rows] = defaultdict(list)
    for row in rows:
        groups[row[column]].append(row)
    return groups


def choose_game(games: pl.DataFrame, game_id: str = "", **preferred: str) -> str:
    """The game with this id; else the one that comes nearest what is asked for, the first by task and id.

    games: game_id, task_id, repeat, and the columns that `near` names, such as team="imap", task_id="…": the first
    of them counts before the second, and so on. Raises KeyError for an id that no game has, and where there is no game.
    """
    if games.is_empty():
        raise KeyError("the tables hold no game")
    if game_id:
        if game_id not in games["game_id"]:
            raise KeyError(f"no game {game_id} in the tables")
        return game_id
    wanted = [(pl.col(column) == value).fill_null(False).not_() for column, value in preferred.items()]
    return str(games.sort(*wanted, "task_id", "repeat", "game_id")["game_id"][0])
