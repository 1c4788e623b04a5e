"""A game's rounds: a stream of meetings, each negotiated and written in four phases (paper, Appendix D.4).

The rules are a generator: it yields (agent, request) and is sent the reply, so that the same rules drive agents that
answer at once and agents that wait for a provider.
"""

from __future__ import annotations

import msgspec

from sim.agents import CHEAP_TALK
from sim.game.decision import decision, resolution, voluntary
from sim.game.game import Game, Place, Turns
from sim.game.talk import cheap_talk


def rounds(game: Game) -> Turns:
    """Play every round of the game."""
    for number, meeting in enumerate(game.meetings):
        game.record(
            "round_start",
            Place(number, 0, CHEAP_TALK),
            meeting=msgspec.to_builtins(meeting),
            speaker_order=meeting.speaker_order,
        )
        paid_before = tuple(game.paid)
        sweeps, joined = yield from cheap_talk(game, number, meeting, paid_before)
        yield from voluntary(game, number, sweeps, meeting, joined, paid_before)
        yield from decision(game, number, sweeps, meeting, paid_before)
        resolution(game, number, sweeps, meeting)
