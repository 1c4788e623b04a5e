"""An attacker who sees the whole view: what a round's messages, their order and turns, silence and the decision tell
whoever saw them, beside its own calendar. And the floor: the least that any truthful proof of the slot can tell.

For a protocol of one's own, give `LIKELIHOODS` of view_likelihoods.py a function (view, beliefs, states) → P(view):

- `View`: what some observers of one round saw together, who takes part, and the protocol's parameters, which are public.
- `beliefs`: agents × slots × states, what the observers hold of every agent's slots as the round begins, independent
  of each other; their own slots are certain, and so are those in which they hold a meeting with the agent.
- `view_bits(view, beliefs, truth, states)`: bits that the view tells of all other agents' calendars together;
  `bits_about(…, target)`: of one other agent's, whatever the view tells of the rest.

Bits are log2 of posterior over prior of the true calendars, P(view | truth) / P(view | own calendar). A protocol without
chance has P(view | truth) = 1, and its bits are −log2 P(view | own calendar), never below 0.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import inf, log2
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from pipeline.beyond.leakage.gains import Array
from pipeline.beyond.leakage.histories import Histories, Integers
from pipeline.beyond.leakage.slot_sums import least_probability, totals_of
from pipeline.beyond.leakage.view_likelihoods import LIKELIHOODS
from pipeline.beyond.leakage.views import Seen, View
from pipeline.privacy.protocols.states import States
from pipeline.traces.typed_messages import decode_message

VIEW = {
    "game_id": pl.String,
    "round": pl.Int64,
    "observers": pl.String,
    "role": pl.String,
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


def floor_bits(participants: Sequence[int], slot: int, beliefs: Array, truth: Array, states: States) -> float | None:
    """−log2 P(the slot is a cheapest | own calendars): no truthful proof that it is can tell its observers less.

    Of a slot that misses the least total, that it misses it by no more than it truly does. None where the slot is not
    feasible for all, so that nothing can be proven. Proof: docs/beyond/leakage.md.
    """
    totals, held = totals_of(beliefs[list(participants)], states)
    _, true = totals_of(truth[list(participants)], states)
    true_totals = (true * np.where(np.isfinite(totals), totals, 0.0)).sum(axis=1)
    feasible = true[:, -1] == 0
    if not feasible[slot]:
        return None
    regret = float(true_totals[slot] - true_totals[feasible].min())
    return -log2(least_probability(totals, held, slot, regret))


class Calendars(NamedTuple):
    """What the slots of one game hold, rounds × agents × slots: state, and content (−id of a meeting)."""

    state: Integers
    held: Integers

    def truth(self, number: int, states: States) -> Array:
        """All slots of a round, certain: agents × slots × states."""
        return np.asarray(np.eye(len(states))[self.state[number]])

    def beliefs(self, number: int, observers: Sequence[int], prior: Array, states: States) -> Array:
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
    found = {}
    for game, rounds, agents, slots, offset in history.layout.select(
        "game_id", "rounds", "agents", "slots", "offset"
    ).iter_rows():
        part = slice(offset, offset + rounds * agents * slots)
        shape = (rounds, agents, slots)
        found[game] = Calendars(history.state[part].reshape(shape), history.held[part].reshape(shape))
    return found


def held_out_priors(games: pl.DataFrame, boards: Mapping[str, Calendars], states: States) -> dict[str, Array]:
    """Task → the share of each state among the slots of other agents as rounds begin, over all other tasks of its setting.

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


def _state_counts(board: Calendars, states: States) -> Array:
    """How many secret slots have each state, over rounds and ordered pairs of agents."""
    agents = board.state.shape[1]
    secret = np.full(board.state.shape, float(agents - 1))
    for observer in range(agents):
        common = (board.held < 0) & (board.held == board.held[:, observer : observer + 1])
        common[:, observer] = False
        secret -= common
    return np.bincount(board.state.ravel(), weights=secret.ravel(), minlength=len(states)).astype(np.float64)


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
            by_round.setdefault((game, number), []).append(Seen(turn, sender, tuple(recipients), typed.kind, typed.body))
    for game, number, participants in rounds.sort("game_id", "round").select(
        "game_id", "round", "participants"
    ).iter_rows():
        said = by_round.get((game, number), [])
        last = max((message.turn for message in said), default=-1)
        told = {agent for message in said for agent in (message.sender, *message.recipients)}
        members = tuple(sorted(participants))
        sets = [(agent,) for agent in sorted(told | set(members))]
        sets += list(combinations(members, 2)) if coalitions else []
        for observers in sets:
            seen = tuple(m for m in said if {m.sender, *m.recipients} & set(observers))
            yield game, View(protocol, dict(parameters), number, members, observers, seen, slots, last, max_turns)


def role(view: View) -> str:
    """initiator, responder or outsider; of two participants: with the initiator, or responders."""
    if len(view.observers) == 1:
        return view.role_of(view.observers[0])
    return "initiator and responder" if view.initiator in view.observers else "two responders"
