"""Every round that a protocol's agents can play in a tiny world, and what each observer sees of it."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.beyond.leakage.statements import Seen, View
from pipeline.beyond.leakage.views import third_costs, zero_counts
from pipeline.privacy.protocols.states import States
from sim.agents import Registration
from sim.calendar import Calendar, Errand
from sim.game.game import Game, Limits, cheap_talk
from sim.runs.teams import AgentSpec, build_agent
from sim.tasks.scenario import Meeting

STATES = States((1,))
PARTICIPANTS, AGENTS = (0, 1, 2), 4
Array = NDArray[np.float64]
Board = tuple[tuple[int, ...], ...]  # of each participant the states of its slots


def calendar(states: Sequence[int], states_of: States = STATES, agent: int = 0) -> Calendar:
    """A calendar of these states. Two more slots follow, in one of which each agent is free and nobody else can be."""
    names = [states_of.names[s] for s in states]
    items = [None if c == 0 else Errand(s + 1, c or 1, c is None) for s, c in enumerate(names)]
    last = [Errand(98, 1, True), Errand(99, 1, True)]
    last[0 if agent == 2 else 1] = None  # type: ignore[call-overload]
    return Calendar([*items, *last])


def played(protocol: str, parameters: dict[str, Any], board: Board, seed: str = "tiny", states: States = STATES,
           max_turns: int = 15, outsider: bool = True) -> list[Seen]:  # fmt: skip
    """The messages of one round, in order."""
    calendars = [calendar(of, states, agent) for agent, of in enumerate(board)]
    calendars += [calendar((0,) * len(board[0]), states)] if outsider else []
    order = PARTICIPANTS
    meeting = Meeting(1, PARTICIPANTS, speaker_order=order)
    game = Game(tuple(calendars), (meeting,), Limits(max_turns_per_round=max_turns))
    agents = [build_agent(AgentSpec(protocol, parameters)) for _ in calendars]
    for number, agent in enumerate(agents):
        agent.register(Registration(number, len(agents), len(calendars[0]), 3, ("dm",), calendars[number], seed))
    turns = cheap_talk(game, 0, meeting, (0,) * len(agents))
    try:
        who, request = next(turns)
        while True:
            who, request = turns.send(agents[who].act(request))
    except StopIteration:
        pass
    sent = [e.data for e in game.events if e.type == "dm_sent"]
    bodies = [json.loads(d["content"]) for d in sent]
    return [
        Seen(d["turn"], d["from_agent"], (d["to_agent"],), next(iter(body.values())), body)
        for d, body in zip(sent, bodies, strict=True)
    ]


def view_of(protocol: str, parameters: dict[str, Any], said: Sequence[Seen], observers: tuple[int, ...], slots: int,
            max_turns: int = 15) -> View:  # fmt: skip
    """What the observers saw of the round."""
    seen = tuple(m for m in said if {m.sender, *m.recipients} & set(observers))
    last = max((m.turn for m in said), default=-1)
    return View(protocol, parameters, 0, PARTICIPANTS, observers, seen, slots + 2, last, max_turns)


def signature(view: View) -> str:
    """The view without what is drawn uniformly whatever the calendars: masks, keys and secret orders."""
    kept: list[Any] = [view.last_turn if view.takes_part else None]
    for message in view.messages:
        body = dict(message.body)
        if message.kind == "masked" and view.protocol == "secure":
            body = {"first": body["first"], "totals": body["totals"]}
        if message.kind == "key":
            body = {}
        if message.kind == "found" and view.leads and body["total"] is not None:
            order = next(view.of_kind("key")).body["orders"][body["level"]]
            body["places"] = sorted(order[place] for place in body["places"])
        if view.protocol == "shares":
            body = {"place": body["place"] is None} if message.kind == "place" else {"slot": body.get("slot")}
        kept.append([message.turn, message.sender, message.recipients, body])
    if view.protocol == "secure" and not view.takes_part:
        kept = [sorted(zero_counts(view, list(view.of_kind("masked"))).items())]
    if view.protocol == "shares" and view.takes_part and len(view.observers) == 2:
        kept.append(third_costs(view, len(view.parameters["ladder"]) + 1))
    return json.dumps(kept)


def boards(slots: int, states: States = STATES) -> Iterator[Board]:
    """All calendars of the participants."""
    calendars = list(product(range(len(states)), repeat=slots))
    return product(calendars, repeat=len(PARTICIPANTS))


def beliefs_of(prior: Array, board: Board, certain: Sequence[int], states: States = STATES) -> Array:
    """agents × slots × states: the prior (agents × slots × states), but of the certain agents what they hold."""
    slots = len(board[0])
    beliefs = np.zeros((AGENTS, slots + 2, len(states)))
    beliefs[:, :slots] = prior
    for agent in range(AGENTS):
        free = 0 if agent == 2 else 1
        beliefs[agent, slots + free, 0] = 1.0
        beliefs[agent, slots + 1 - free, -1] = 1.0
        if agent in certain and agent in PARTICIPANTS:
            beliefs[agent, :slots] = np.eye(len(states))[list(board[agent])]
    return beliefs


def chances(prior: Array, board: Board, hidden: Sequence[int]) -> float:
    """P(the hidden agents' calendars)."""
    return float(np.prod([prior[agent, slot, state] for agent in hidden for slot, state in enumerate(board[agent])]))


def by_view(protocol: str, parameters: dict[str, Any], observers: tuple[int, ...], slots: int, prior: Array,
            rounds: Sequence[tuple[Board, list[Seen]]]) -> Iterator[tuple[View, Board, float]]:  # fmt: skip
    """Each view that the observers can have with each of their own calendars, one board with it, and P(it | theirs)."""
    totals: dict[tuple[Any, str], float] = defaultdict(float)
    example: dict[tuple[Any, str], tuple[View, Board]] = {}
    hidden = [agent for agent in PARTICIPANTS if agent not in observers]
    for board, said in rounds:
        view = view_of(protocol, parameters, said, observers, slots)
        key = tuple(board[a] for a in observers if a in PARTICIPANTS), signature(view)
        totals[key] += chances(prior, board, hidden)
        example.setdefault(key, (view, board))
    for key, chance in totals.items():
        yield *example[key], chance
