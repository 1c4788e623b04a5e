"""What every slot held in every round, and what observers see of a round: statements about slots, and the whole view.

A slot's *spell* is a run of rounds in which it holds the same thing and is in the same state. What is said of a slot
in two rounds of one spell is about one secret; where the slot changed in between, about two.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.privacy.protocols import statements
from pipeline.privacy.protocols.kinds import RoundContext
from pipeline.privacy.protocols.states import States, Vector
from pipeline.traces.typed_messages import decode_message

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


COST = re.compile(r"\b(?:costs?|costing|price)\b", re.IGNORECASE)
# "slots 2, 4 and 6 to 9", "agent 3": numbers that are no cost.
NAMED = re.compile(
    r"\b(?:slots?|agents?|meetings?)\s*#?\d+(?:(?:\s|,|and|or|to|through|&|[-–—])+#?\d+)*", re.IGNORECASE
)
FIGURE = re.compile(r"\d{1,9}(?!\d)")


def cost_in_figures(clause: str | None) -> int | None:
    """The cost that a clause names in figures; None where it names none, or several."""
    if clause is None or not COST.search(clause):
        return None
    figures = set(FIGURE.findall(NAMED.sub(" ", clause)))
    return int(figures.pop()) if len(figures) == 1 else None


STATEMENT = {
    "game_id": pl.String,
    "round": pl.Int64,
    "observer_agent": pl.Int64,
    "target_agent": pl.Int64,
    "slot": pl.Int64,
    "content": pl.Int64,
    "draw": pl.Int64,
}
Row = tuple[str, int, int, int, int, int, int]
ONCE = -1  # the draw of what is not drawn anew


class Contents:
    """The distinct likelihoods of statements, numbered: two statements with one number say the same."""

    def __init__(self, states: States) -> None:
        self.states = states
        self._numbers: dict[tuple[float, ...], int] = {}

    def number(self, likelihood: NDArray[np.float64]) -> int:
        """The number of a likelihood. Only its ratios count: its largest entry is made 1."""
        largest = likelihood.max()
        scaled = tuple((likelihood / largest).round(12).tolist()) if largest > 0 else (1.0,) * len(self.states)
        return self._numbers.setdefault(scaled, len(self._numbers))

    @property
    def likelihoods(self) -> NDArray[np.float64]:
        """Numbers × states."""
        return np.array(list(self._numbers), dtype=np.float64).reshape(-1, len(self.states))


def observed_statements(
    messages: pl.DataFrame, evidence: pl.DataFrame, history: Histories, states: States, figures: bool = False
) -> tuple[pl.DataFrame, Contents]:
    """The statements that are news: STATEMENT, with `spell` and `state` of the slot; and their contents.

    Typed messages are read by pipeline/privacy/protocols, English by the beliefs that its claims come to from
    0.5; with `figures` a cost that it names in figures is believed as a protocol's is. A slot that holds a meeting
    which stands in the same slot of the observer's own calendar is no news.
    """
    contents = Contents(states)
    typed = pl.DataFrame(list(_typed(messages, contents)), schema=STATEMENT, orient="row")
    return news(pl.concat([typed, _english(evidence, contents, figures)]), history), contents


def news(rows: pl.DataFrame, history: Histories) -> pl.DataFrame:
    """The rows of STATEMENT that are about somebody else's slots and no common meeting, with `spell` and `state`."""
    about = history.inside(rows, "observer_agent", "target_agent")
    about = about.filter(pl.col("observer_agent") != pl.col("target_agent"))
    target, observer = (history.positions(about, f"{who}_agent") for who in ("target", "observer"))
    not_common = (history.held[target] >= 0) | (history.held[target] != history.held[observer])
    stated = about.with_columns(spell=pl.Series(history.spell[target]), state=pl.Series(history.state[target]))
    return stated.filter(pl.Series(not_common))


def _typed(messages: pl.DataFrame, contents: Contents) -> Iterator[Row]:
    """Rows of STATEMENT: those of protocols' messages, in order."""
    names = ("game_id", "round", "from_agent", "to_agents", "content")
    typed = messages.filter(pl.col("typed").is_not_null()).sort("game_id", "event_index").select(names)
    context, current = RoundContext(), None
    for game, number, sender, recipients, content in typed.iter_rows():
        if (game, number) != current:
            context, current = RoundContext(), (game, number)
        stated, drawn_anew = statements(content, sender, recipients, context, contents.states)
        for target, slot, likelihood in stated:
            content_number = contents.number(likelihood)
            for observer in recipients:
                yield game, number, observer, target, slot, content_number, number if drawn_anew else ONCE


def _english(evidence: pl.DataFrame, contents: Contents, figures: bool) -> pl.DataFrame:
    """The statements of English: a claim's likelihood is the one that takes 0.5 to the belief it comes to."""
    english = evidence.filter(pl.col("source").str.starts_with("language_"), "in_calendar")
    belief = (1 - pl.col("strength")) * 0.5 + pl.col("strength") * pl.col("evidence")
    clauses = english["matched_clause"].unique().to_list() if figures else []
    figure = pl.col("matched_clause").replace_strict(
        clauses, list(map(cost_in_figures, clauses)), default=None, return_dtype=pl.Int64
    )
    english = english.with_columns(belief=belief, figure=figure, draw=pl.lit(ONCE, pl.Int64))
    claims = english.select("belief", "figure").unique().sort("belief", "figure")
    numbers = [contents.number(_claim(b, cost, contents.states)) for b, cost in claims.iter_rows()]
    numbered = claims.with_columns(content=pl.Series(numbers, dtype=pl.Int64))
    return english.join(numbered, on=["belief", "figure"], how="left", maintain_order="left", nulls_equal=True).select(
        *STATEMENT
    )


def _claim(belief: float, figure: int | None, states: States) -> NDArray[np.float64]:
    """The likelihood of a claim: of the cost that it names, else of the belief that it comes to."""
    return states.believing(belief) if figure is None else states.costing(figure)


class Seen(NamedTuple):
    """A message that an observer sent or got: its turn, who sent it to whom, its kind and its JSON object."""

    turn: int
    sender: int
    recipients: tuple[int, ...]
    kind: str | None
    body: Mapping[str, Any]


class View(NamedTuple):
    """What the observers (ascending) of one round saw, and what everybody knows.

    protocol: the agents' type; parameters: its own, public. participants: ascending, the first one leads. messages:
    those that an observer sent or got, in order. last_turn: the last turn in which anybody said anything, −1 in none:
    who takes part is asked for its turn until nobody says anything. max_turns: when talk ends at the latest.
    """

    protocol: str
    parameters: Mapping[str, Any]
    round: int
    participants: tuple[int, ...]
    observers: tuple[int, ...]
    messages: tuple[Seen, ...]
    slots: int
    last_turn: int
    max_turns: int

    @property
    def initiator(self) -> int:
        """The participant who leads."""
        return self.participants[0]

    @property
    def takes_part(self) -> bool:
        """Whether an observer is a participant."""
        return any(agent in self.participants for agent in self.observers)

    @property
    def leads(self) -> bool:
        """Whether the initiator is among the observers."""
        return self.initiator in self.observers

    def hidden(self) -> list[int]:
        """The participants that are no observers."""
        return [agent for agent in self.participants if agent not in self.observers]

    def of_kind(self, *kinds: str) -> Iterator[Seen]:
        """The messages of these kinds, in order."""
        return (message for message in self.messages if message.kind in kinds)

    def chosen(self) -> int | None:
        """The slot of the decision; None where none was seen."""
        return next((m.body["slot"] for m in self.of_kind("decision", "value")), None)

    def role_of(self, agent: int) -> str:
        """initiator, responder or outsider."""
        return "initiator" if agent == self.initiator else "responder" if agent in self.participants else "outsider"


def views(rounds: pl.DataFrame, messages: pl.DataFrame, protocol: str, parameters: Mapping[str, Any], slots: int,
          max_turns: int, coalitions: bool = False) -> Iterator[tuple[str, View]]:  # fmt: skip
    """(game, view) of each participant of a round and whoever else was told something in it, of the games of one team.

    coalitions: and of each two participants together. rounds, messages: those tables.
    """
    by_round: dict[tuple[str, int], list[Seen]] = {}
    names = ("game_id", "round", "turn", "from_agent", "to_agents", "content")
    for game, number, turn, sender, recipients, content in (
        messages.sort("game_id", "event_index").select(names).iter_rows()
    ):
        typed = decode_message(content)
        if typed is not None:
            by_round.setdefault((game, number), []).append(
                Seen(turn, sender, tuple(recipients), typed.kind, typed.body)
            )
    for game, number, participants in (
        rounds.sort("game_id", "round").select("game_id", "round", "participants").iter_rows()
    ):
        sent = by_round.get((game, number), [])
        last = max((message.turn for message in sent), default=-1)
        involved = {agent for message in sent for agent in (message.sender, *message.recipients)}
        members = tuple(sorted(participants))
        sets: list[tuple[int, ...]] = [(agent,) for agent in sorted(involved | set(members))]
        sets += list(combinations(members, 2)) if coalitions else []
        for observers in sets:
            seen = tuple(m for m in sent if {m.sender, *m.recipients} & set(observers))
            yield game, View(protocol, dict(parameters), number, members, observers, seen, slots, last, max_turns)


def role(view: View) -> str:
    """initiator, responder or outsider; of two participants: with the initiator, or responders."""
    if len(view.observers) == 1:
        return view.role_of(view.observers[0])
    return "initiator and responder" if view.initiator in view.observers else "two responders"
