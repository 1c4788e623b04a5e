"""One game, put together from the tables: calendars by round, messages with what they show, beliefs, and what it cost.

The value is plain JSON: dicts, lists, text, numbers, true, false and null.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.reports.views.calendars import after_round, first_grid
from pipeline.reports.views.sentences import sentence

READ = {
    "agents": ("agent", "agent_type", "model", "nosy", "cost", "oracle_cost"),
    "rounds": (
        "round", "meeting_id", "participants", "speaker_order", "coordinated", "slot", "oracle_slot", "dms", "cost",
        "optimal_cost", "participant_slots", "violated_meetings", "rolled_back", "batches_rejected", "resolution_event",
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

OPTIONAL = ("thoughts",)  # tables that folders of before may lack

MEETING_COST = 1  # of a meeting that no move shows the cost of

Rows = list[dict[str, Any]]
View = dict[str, Any]


def game_views(tables: Path, game_ids: Sequence[str]) -> Iterator[View]:
    """The views of games, in the order asked for. The tables are read once for all of them.

    Raises KeyError for a game that the tables do not hold.
    """
    games = {row["game_id"]: row for row in _read(tables, "games", game_ids, ("*",))}
    rows = {name: _by_game(_read(tables, name, game_ids, columns)) for name, columns in READ.items()}
    for game_id in game_ids:
        if game_id not in games:
            raise KeyError(f"no game {game_id} in {tables}")
        yield view({"games": [games[game_id]], **{name: found[game_id] for name, found in rows.items()}})


def game_view(tables: Path, game_id: str) -> View:
    """The view of one game. Raises KeyError when the tables do not hold it."""
    return next(game_views(tables, [game_id]))


def view(rows: Mapping[str, Rows]) -> View:
    """The view of a game from its rows in each table: `game`, `agents`, `labels`, `first` calendars, and `rounds`."""
    game = rows["games"][0]
    grid = first_grid(rows["items"], game["num_agents"], game["num_slots"])
    by_round: dict[str, dict[int, Rows]] = {
        name: _grouped(rows[name], "round") for name in ("messages", "moves", "pair_round_vps", "patterns", "thoughts")
    }
    updates, leaks = _grouped(rows["belief_evidence"], "event_index"), _grouped(rows["leaks"], "event_index")
    costs = {m["item_id"]: m["cost"] for m in rows["moves"] if m["item_kind"] == "meeting"}
    rounds, spent = [], 0
    for told in sorted(rows["rounds"], key=lambda row: row["round"]):
        number = told["round"]
        found = {name: groups[number] for name, groups in by_round.items()}
        before = grid
        grid = after_round(grid, found["moves"], told, costs.get(told["meeting_id"], MEETING_COST))
        spent += told["cost"]
        said = [_message(row, updates, leaks, found["patterns"]) for row in found["messages"]]
        seen = {message["event_index"] for message in said}
        rounds.append(
            {
                **told,
                "before": before,
                "after": grid,
                "moves": found["moves"],
                "messages": said,
                "patterns": [row for row in found["patterns"] if row["event_index"] not in seen],
                "vps": [row for row in found["pair_round_vps"] if row["weight_mode"] == "uniform"],
                "thoughts": found["thoughts"],
                "cost_so_far": spent,
            }
        )
    labels = {kind: _labels(rows["labels_known"], kind) for kind in ("errand", "meeting")}
    return {"game": game, "agents": rows["agents"], "labels": labels, "rounds": rounds}


def _message(
    row: dict[str, Any], updates: Mapping[int, Rows], leaks: Mapping[int, Rows], patterns: Rows
) -> dict[str, Any]:
    """A message with what it shows: belief updates, leaks, and patterns."""
    at = row["event_index"]
    shown = [pattern for pattern in patterns if pattern["event_index"] == at]
    in_words = sentence(row["content"], row["typed"])
    return {**row, "in_words": in_words, "updates": updates[at], "leaks": leaks[at], "patterns": shown}


def _labels(rows: Rows, kind: str) -> dict[int, dict[str, Any]]:
    """Label and tier of each errand or meeting that has one."""
    return {row["item_id"]: {"label": row["label"], "tier": row["tier"]} for row in rows if row["kind"] == kind}


def _read(tables: Path, name: str, game_ids: Sequence[str], columns: Sequence[str]) -> Rows:
    """The games' rows of a table, in the table's order, with the game's id."""
    path = tables / f"{name}.parquet"
    if not game_ids or (name in OPTIONAL and not path.is_file()):
        return []
    # Tables are sorted by game: what lies outside the range is not even unpacked.
    near = pl.col("game_id").is_between(pl.lit(min(game_ids)), pl.lit(max(game_ids)))
    frame = pl.scan_parquet(path).filter(near & pl.col("game_id").is_in(list(game_ids)))
    wanted = frame if "*" in columns else frame.select("game_id", *columns)
    return wanted.collect().to_dicts()


def _by_game(rows: Rows) -> dict[str, Rows]:
    found: dict[str, Rows] = defaultdict(list)
    for row in rows:
        found[row.pop("game_id")].append(row)
    return found


def _grouped(rows: Rows, column: str) -> dict[int, Rows]:
    found: dict[int, Rows] = defaultdict(list)
    for row in rows:
        found[row[column]].append(row)
    return found


def choose(games: pl.DataFrame, game_id: str = "", **near: str) -> str:
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
    wanted = [(pl.col(column) == value).fill_null(False).not_() for column, value in near.items()]
    return str(games.sort(*wanted, "task_id", "repeat", "game_id")["game_id"][0])
