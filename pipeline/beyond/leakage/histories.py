"""What every slot held in every round, replayed from initial items, the moves that were applied, and meetings.

A slot's *spell* is a run of rounds in which it holds the same thing and is in the same state. What is said of a slot
in two rounds of one spell is about one secret; where the slot changed in between, about two.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.privacy.protocols.states import States, Vector

Integers = NDArray[np.int64]
Grid = tuple[Integers, Integers, NDArray[np.bool_]]  # agents × slots: what stands there, its cost, is it blocked


@dataclass(frozen=True)
class Histories:
    """State, content and spell of every slot: flat arrays, ordered by game, round, agent and slot.

    state: its index in the States; held: 0 free, 1 + id of an errand, −id of a meeting; spell: its number in the slot,
    from 0. layout: game_id, offset of its first slot, rounds, agents, slots.
    """

    layout: pl.DataFrame
    state: Integers
    held: Integers
    spell: Integers

    def positions(self, rows: pl.DataFrame, agent: str) -> Integers:
        """Where each row's slot stands in the arrays: rows with game_id, round, slot and the column `agent`."""
        sizes = rows.select("game_id", "round", "slot", agent).join(
            self.layout, on="game_id", how="left", maintain_order="left"
        )
        line = pl.col("round") * pl.col("agents") + pl.col(agent)
        return sizes.select(pl.col("offset") + line * pl.col("slots") + pl.col("slot")).to_series().to_numpy()

    def inside(self, rows: pl.DataFrame, *agents: str) -> pl.DataFrame:
        """The rows whose round, slot and agents exist."""
        fits = [pl.col(name).is_between(0, pl.col("agents") - 1) for name in agents]
        fits += [pl.col("slot").is_between(0, pl.col("slots") - 1), pl.col("round").is_between(0, pl.col("rounds") - 1)]
        known = rows.join(self.layout, on="game_id", how="inner", maintain_order="left")
        return known.filter(*fits).select(rows.columns)


def histories(
    games: pl.DataFrame, rounds: pl.DataFrame, items: pl.DataFrame, moves: pl.DataFrame, states: States
) -> Histories:
    """The histories of the games that have rounds, in the order of their ids.

    games, rounds, items, moves: those tables.
    """
    games = games.filter(pl.col("rounds") > 0).sort("game_id")
    tables = [_by_game(frame) for frame in (items, moves, rounds)]
    held, state, spell, sizes = [], [], [], []
    for game, agents, slots in games.select("game_id", "num_agents", "num_slots").iter_rows():
        items_of, moves_of, rounds_of = (table.get((game,)) for table in tables)
        game_held, game_state = _replay(items_of, moves_of, rounds_of, (agents, slots), states)
        held.append(game_held.ravel())
        state.append(game_state.ravel())
        spell.append(_spells(game_held, game_state).ravel())
        sizes.append((game, len(game_held), agents, slots))
    schema = {"game_id": pl.String} | dict.fromkeys(("rounds", "agents", "slots"), pl.Int64)
    layout = pl.DataFrame(sizes, schema=schema, orient="row")
    cells = pl.col("rounds") * pl.col("agents") * pl.col("slots")
    nothing = np.zeros(0, np.int64)  # of no game
    flat = (np.concatenate([nothing, *parts]) for parts in (state, held, spell))
    return Histories(layout.with_columns(offset=cells.cum_sum() - cells), *flat)


def _by_game(frame: pl.DataFrame) -> dict[tuple[object, ...], pl.DataFrame]:
    return frame.partition_by("game_id", as_dict=True, maintain_order=True)


def _replay(
    items: pl.DataFrame | None,
    moves: pl.DataFrame | None,
    rounds: pl.DataFrame | None,
    size: tuple[int, int],
    states: States,
) -> tuple[Integers, Integers]:
    """Rounds × agents × slots: what stood there when the round began, and its state."""
    grid = _initial(items, size)
    held, state = [], []
    batches = _batches(moves)
    for number, meeting, participants, meeting_slots in () if rounds is None else _meetings(rounds):
        held.append(grid[0].copy())
        state.append(_states(grid, states))
        for agent, pairs in batches.get(number, ()):
            _move(grid, agent, pairs)
        for agent, slot in zip(participants, meeting_slots, strict=True):
            if slot is not None and 0 <= slot < size[1]:
                grid[0][agent, slot], grid[1][agent, slot], grid[2][agent, slot] = -meeting, 0, False
    return np.array(held), np.array(state)


def _meetings(rounds: pl.DataFrame) -> list[tuple[int, int, list[int], list[int | None]]]:
    """(round, meeting, participants, the slot in which each of them has it) of one game's rounds."""
    return rounds.sort("round").select("round", "meeting_id", "participants", "participant_slots").rows()


def _initial(items: pl.DataFrame | None, size: tuple[int, int]) -> Grid:
    grid = (np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.bool_))
    if items is None:
        return grid
    kind, number = items["item_kind"].to_numpy(), items["item_id"].to_numpy()
    at = items["agent"].to_numpy(), items["slot"].to_numpy()
    grid[0][at] = np.where(kind == "errand", number + 1, -number)
    grid[1][at], grid[2][at] = items["cost"].to_numpy(), items["blocked"].to_numpy()
    return grid


def _batches(moves: pl.DataFrame | None) -> dict[int, list[tuple[int, list[tuple[int, int]]]]]:
    """Round → (agent, [(from, to), …]) of each applied batch, in the order of the trace."""
    batches: dict[int, list[tuple[int, list[tuple[int, int]]]]] = {}
    if moves is None:
        return batches
    inside = moves.drop_nulls(["from_slot", "to_slot"]).sort("event_index", "action_index")
    pairs = inside.group_by("round", "event_index", "agent", maintain_order=True).agg("from_slot", "to_slot")
    for number, _, agent, sources, targets in pairs.iter_rows():
        batches.setdefault(number, []).append((agent, list(zip(sources, targets, strict=True))))
    return batches


def _move(grid: Grid, agent: int, pairs: list[tuple[int, int]]) -> None:
    """Carry out one agent's moves (from, to), all at once."""
    sources, targets = (list(side) for side in zip(*pairs, strict=True))
    for of_slot in grid:
        moved = of_slot[agent, sources]
        of_slot[agent, sources] = 0
        of_slot[agent, targets] = moved


def _states(grid: Grid, states: States) -> Integers:
    """Each slot's state: an errand is busy where it is blocked, or has no free slot to go to."""
    held, cost, blocked = grid
    stuck = (held != 0) & ~(held == 0).any(axis=1, keepdims=True)
    busy = (held < 0) | blocked | stuck
    errand = np.searchsorted(states.costs, cost) + 1
    return np.where(busy, states.busy_state, np.where((held == 0) | (cost <= 0), 0, errand)).astype(np.int64)


def _spells(held: Integers, state: Integers) -> Integers:
    """Rounds × agents × slots: how often the slot has changed since the game began."""
    changed = np.zeros(held.shape, np.int64)
    changed[1:] = (held[1:] != held[:-1]) | (state[1:] != state[:-1])
    return np.cumsum(changed, axis=0)


class Calendars(NamedTuple):
    """What the slots of one game hold, rounds × agents × slots: state, and content (−id of a meeting)."""

    state: Integers
    held: Integers

    def truth(self, number: int, states: States) -> NDArray[np.float64]:
        """All slots of a round, certain: agents × slots × states."""
        return np.asarray(np.eye(len(states))[self.state[number]])

    def beliefs(self, number: int, observers: Sequence[int], prior: Vector, states: States) -> NDArray[np.float64]:
        """What the observers hold as a round begins, from the prior of a slot and their own calendars."""
        state, held = self.state[number], self.held[number]
        beliefs = np.broadcast_to(prior, (*state.shape, len(states))).copy()
        certain = np.eye(len(states))
        for observer in observers:
            common = (held < 0) & (held == held[observer])
            beliefs[common] = certain[states.busy_state]
        beliefs[list(observers)] = certain[state[list(observers)]]
        return beliefs


def calendars(history: Histories) -> dict[str, Calendars]:
    """The calendars of each game."""
    by_game = {}
    for game, rounds, agents, slots, offset in history.layout.select(
        "game_id", "rounds", "agents", "slots", "offset"
    ).iter_rows():
        part = slice(offset, offset + rounds * agents * slots)
        shape = (rounds, agents, slots)
        by_game[game] = Calendars(history.state[part].reshape(shape), history.held[part].reshape(shape))
    return by_game


def held_out_priors(games: pl.DataFrame, boards: Mapping[str, Calendars], states: States) -> dict[str, Vector]:
    """Task → the share of each state among other agents' slots as rounds begin, over all other tasks of the setting.

    games: game_id, task_id. Slots with a meeting that observer and target share are no secret and left out. Half a slot
    is added to each state, so that none is impossible.
    """
    counts = {
        task: sum((_state_counts(boards[game], states) for game in ids), np.zeros(len(states)))
        for task, ids in games.group_by("task_id").agg("game_id").sort("task_id").iter_rows()
    }
    total = sum(counts.values(), np.zeros(len(states)))
    others = {task: total - own + 0.5 for task, own in counts.items()}
    return {task: count / count.sum() for task, count in others.items()}


def _state_counts(board: Calendars, states: States) -> NDArray[np.float64]:
    """How many secret slots have each state, over rounds and ordered pairs of agents."""
    agents = board.state.shape[1]
    secret = np.full(board.state.shape, float(agents - 1))
    for observer in range(agents):
        common = (board.held < 0) & (board.held == board.held[:, observer : observer + 1])
        common[:, observer] = False
        secret -= common
    return np.bincount(board.state.ravel(), weights=secret.ravel(), minlength=len(states)).astype(np.float64)
