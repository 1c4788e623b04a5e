"""What observers see of a round: the statements that messages make about slots, typed or in English; the whole view."""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.beyond.leakage.histories import Histories
from pipeline.privacy.protocols import statements
from pipeline.privacy.protocols.kinds import RoundContext
from pipeline.privacy.protocols.states import States
from pipeline.traces.typed_messages import decode_message

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
