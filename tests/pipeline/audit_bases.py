"""Real games for the auditor's tests, each played once: with every kind of event, with labels, with prompts, stopped,
and two in the form of the public harness."""

import asyncio
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec

from pipeline.traces.public_form import public_form
from sim.agents import AgentFailure
from sim.game.game import Limits
from sim.game.rounds import rounds
from sim.game.trace import Trace, encoded, record_digest
from sim.models.agent import Answer, Usage
from sim.models.serve.negotiator import negotiate
from sim.runs.play import Play, begin, config_of, finish, identity, play_game, play_game_later
from sim.runs.runner import build_waiting
from sim.runs.teams import AgentSpec, Team, named_teams
from sim.tasks.scenario import Scenario
from sim.tasks.suite import assemble
from sim.tasks.task import Task
from tests.sim.worlds import Scripted, calendars, entry, meetings, reschedule, say, schedule, tiny_task

Raw = dict[str, Any]

WORLD = ["5 . 4 . . x3", ". 2 . . 7 .", ". . 3 . . .", ". . . 6 . ."], [(0, 1), (1, 2), (0, 1, 2), (2, 3)]
EVERYBODY = {"type": "all_groupchat", "content": "Round three."}
MEMBERS = {"type": "participant_groupchat", "content": "Slot 0 for all of us."}
TALK, OFFER, DECIDE = "CHEAP_TALK", "VOLUNTARY", "DECISION"

# What each agent does, by (phase, round, turn or attempt): rejections and retries, a rollback, a meeting that is broken
# later, one put into two slots, messages on every channel, refused calls, and a cap that is reached.
SCRIPTS = (
    {
        (TALK, 0, 0): [say(1, "Slot 0?"), MEMBERS, say(0, "to myself"), schedule(1, 0)],
        (DECIDE, 0, 0): [schedule(1, 0)],
        (DECIDE, 0, 1): [reschedule(0, 0, 1), schedule(1, 0)],
        (TALK, 2, 0): [EVERYBODY],
        (DECIDE, 2, 0): [reschedule(1, 0, 4), schedule(3, 3)],
    },
    {
        (TALK, 0, 0): [say(0, "Yes."), say(3, "Will you move?")],
        (DECIDE, 0, 0): [schedule(1, 0)],
        (DECIDE, 1, 0): [schedule(2, 3)],
        (DECIDE, 2, 0): [schedule(3, 3)],
    },
    {
        (DECIDE, 2, 0): [schedule(3, 3)],
        (TALK, 3, 0): [say(3, "Slot 2?"), say(3, "Or 1?"), say(3, "Well?")],
        (DECIDE, 3, 0): [reschedule(202, 2, 0), schedule(4, 2)],
    },
    {
        (TALK, 0, 0): [say(1, "I will.")],
        (OFFER, 0, 0): [reschedule(303, 3, 5)],
        (OFFER, 2, 0): [reschedule(999, 5, 0)],
        (DECIDE, 3, 0): [schedule(4, 1)],
    },
)


class Canned:
    """A provider that answers as the stub negotiator does, but forgets its first batch, and fails at one call."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.calls, self.fails_at, self.forgetful = 0, fails_at, True

    async def answer(self, ask: Any, parameters: Any) -> Answer:
        self.calls += 1
        if self.calls == self.fails_at:
            raise AgentFailure("the line is dead")
        text = negotiate(ask.messages)
        if self.forgetful and "Phase: DECISION" in ask.messages[-1]["content"]:
            self.forgetful, text = False, '{"thinking": "", "actions": []}'
        return Answer(text, Usage(model=ask.model))


def scripted(dm_cap: int | None = 7) -> Trace:
    drawn = Scenario(calendars(WORLD[0]), meetings(WORLD[1]), (0, 1, 3, 2))
    small = entry(num_agents=4, num_slots=6, num_meetings=4)
    task = assemble(small, "standard", drawn)
    limits = Limits(dm_cap=dm_cap, channels=("dm", "participant_groupchat", "all_groupchat"))
    play = Play(task, Team("scripted", (AgentSpec("imap"),)), limits)
    agents = [Scripted(script) for script in SCRIPTS]
    config = config_of(play)
    game = begin(play, agents, identity(config))
    turns = rounds(game)
    try:
        agent, request = next(turns)
        while True:
            agent, request = turns.send(agents[agent].act(request))
    except StopIteration:
        return finish(play, game, agents, config, None)


def labelled_task() -> Task:
    return tiny_task(11, "varied", num_agents=4, num_slots=8, num_meetings=3, errand_cost_values=(1, 100))


def spoken(name: str = "candid") -> Trace:
    return play_game(Play(labelled_task(), named_teams()[name]))


def prompted(fails_at: int | None = None) -> Trace:
    team = Team("model", (AgentSpec("llm", {"model": "m"}),))
    play = Play(tiny_task(3, num_meetings=2), team)
    agents = [build_waiting(spec, Canned(fails_at), 0) for spec in play.specs]
    return asyncio.run(play_game_later(play, agents))


def protocol(name: str = "dsm-welfare") -> Trace:
    return play_game(
        Play(tiny_task(5, num_agents=5, num_participants=3, num_slots=8, num_meetings=5), named_teams()[name])
    )


BASES: dict[str, Callable[[], Trace]] = {
    "scripted": scripted,
    "spoken": spoken,
    "prompted": prompted,
    "stopped": lambda: prompted(fails_at=4),
    "protocol": protocol,
}
# In the form of the public harness: with every kind of event, and with labels and prompts.
PUBLIC: dict[str, Callable[[], Trace]] = {"public": lambda: scripted(dm_cap=None), "labelled": prompted}


@cache
def text_of(base: str) -> bytes:
    return json.dumps(public_form(encoded(PUBLIC[base]()))).encode() if base in PUBLIC else encoded(BASES[base]())


def raw_of(base: str) -> Raw:
    """The trace as plain JSON, for a test to change."""
    raw: Raw = msgspec.json.decode(text_of(base))
    return raw


def sealed(raw: Raw) -> bytes:
    """The trace's text with its digest made again, as who forges a trace would: the replay alone can tell."""
    digest = {"record_sha256": record_digest(raw)} if "record_sha256" in raw else {}
    return json.dumps(raw | digest).encode()
