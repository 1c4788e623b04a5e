"""Whatever agents answer: the game goes on, nobody cheats, and the record is true."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from sim.agents import CHEAP_TALK, DECISION, Reply, Request
from sim.game.game import CHANNELS, Limits
from sim.game.trace import Trace, encoded
from sim.game.trace_schema import trace_schema
from sim.runs.play import Play, play_game
from sim.runs.teams import AgentSpec, Team
from tests.sim.game_checks import check
from tests.sim.hostile_agents import ODDITIES, TASKS, HostileGame, Whole, games, played, played_later
from tests.sim.worlds import Scripted, reschedule, say, schedule

TASK = TASKS[1]
FIRST = TASK.meetings[0]
OPEN = Limits(max_turns_per_round=2, channels=CHANNELS)


@settings(max_examples=50)
@given(games())
def test_a_game_of_hostile_agents_is_played_to_its_end_and_adds_up(game: HostileGame) -> None:
    trace = played(game)
    assert not trace.stopped
    check(trace)


@settings(max_examples=15)
@given(games())
def test_both_drivers_play_the_same_hostile_game(game: HostileGame) -> None:
    assert encoded(played_later(game)) == encoded(played(game))


def game_of(*agents: Any) -> Trace:
    """A game of these agents, the last one repeated for the rest."""
    seated = [*agents, *agents[-1:] * (TASK.num_agents - len(agents))]
    return play_game(Play(TASK, Team("scripted", (AgentSpec("imap"),)), OPEN), seated)


def first_speaker(actions: Any) -> list[Any]:
    """Agents of whom only the first meeting's first speaker says something, once."""
    players = [Scripted() for _ in range(TASK.num_agents)]
    players[FIRST.speaker_order[0]].script = {(CHEAP_TALK, 0, 0): actions}
    return players


@pytest.mark.parametrize("oddity", ODDITIES)
def test_a_value_of_any_kind_is_refused_or_delivered_and_recorded_as_played(oddity: str) -> None:
    make, other = ODDITIES[oddity], FIRST.speaker_order[1]
    check(game_of(*first_speaker(make())))
    fields = [{"type": make()}, *(say(other) | {name: make()} for name in ("to", "content", "more"))]
    check(game_of(*first_speaker([make(), [make()], *fields])))


def test_a_trace_with_values_of_all_kinds_follows_the_schema() -> None:
    trace = game_of(*first_speaker([{"type": "dm", "to": make(), "content": make()} for make in ODDITIES.values()]))
    import jsonschema

    jsonschema.validate(msgspec.json.decode(encoded(trace)), trace_schema())


class Careless:
    """Answers with one list, which it fills again for each answer."""

    def __init__(self) -> None:
        self.actions: list[Any] = []

    def register(self, registration: Any) -> str:
        return ""

    def act(self, request: Request) -> Reply:
        self.actions.clear()
        if request.phase == DECISION:
            self.actions.append(schedule(request.meeting.id, request.calendar.free[0]))
        return Reply(self.actions)

    def summary(self) -> dict[str, Any]:
        return {}


def test_an_answer_stays_as_it_was_given() -> None:
    trace = game_of(*(Careless() for _ in range(TASK.num_agents)))
    check(trace)
    answered = [e.data["tool_calls"] for e in trace.events if e.type == "decide_end"]
    assert answered
    assert all(len(actions) == 1 for actions in answered)


class Silent(Scripted):
    def act(self, request: Request) -> Any:
        return None


def test_no_answer_at_all_is_none() -> None:
    trace = game_of(Silent())
    check(trace)
    assert trace.metrics["meetings_scheduled"] == 0


def test_a_cost_of_one_s_own_is_not_believed() -> None:
    errand = next((s, i) for s, i in enumerate(TASK.calendars[FIRST.participants[0]].slots) if i and i.cost >= 100)
    slot, item = errand
    free = TASK.calendars[FIRST.participants[0]].free
    batch = [reschedule(item.errand_id, slot, free[0]) | {"cost": 0}, schedule(FIRST.id, slot) | {"cost": -7}]
    players = [Scripted() for _ in range(TASK.num_agents)]
    players[FIRST.participants[0]].script = {(DECISION, 0, 0): batch}
    for other in FIRST.participants[1:]:
        players[other].script = {(DECISION, 0, 0): [schedule(FIRST.id, TASK.calendars[other].free[0])]}
    trace = game_of(*players)
    check(trace)
    assert trace.metrics["realized_cost"] == item.cost


# Batches that come close; each leaves calendar and account as they were.
ITEM, AT = next((i, s) for s, i in enumerate(TASK.calendars[FIRST.participants[0]].slots) if i)
FREE = TASK.calendars[FIRST.participants[0]].free
BOOK = schedule(FIRST.id, FREE[0])
CLOSE = [
    ("a slot that is a boolean", [schedule(FIRST.id, False)]),
    ("a slot that is text", [BOOK | {"slot": str(FREE[0])}]),
    ("a slot that is a float", [BOOK | {"slot": float(FREE[0])}]),
    ("a slot that lies about itself", [BOOK | {"slot": Whole(99)}]),
    ("a meeting's id that is text", [BOOK | {"meeting_id": str(FIRST.id)}]),
    ("another meeting", [schedule(TASK.meetings[1].id, FREE[0])]),
    ("no meeting at all", [{"type": "schedule", "slot": FREE[0]}]),
    ("the meeting twice", [BOOK, BOOK]),
    ("an item moved twice", [BOOK, reschedule(ITEM.errand_id, AT, FREE[1]), reschedule(ITEM.errand_id, AT, FREE[0])]),
    ("a move to where it is", [BOOK, reschedule(ITEM.errand_id, AT, AT)]),
    ("a move onto the meeting", [BOOK, reschedule(ITEM.errand_id, AT, FREE[0])]),
    ("an item by another name", [BOOK, reschedule(ITEM.errand_id + 1, AT, FREE[1])]),
    ("an item by a name that is text", [BOOK, reschedule(str(ITEM.errand_id), AT, FREE[1])]),
    ("a message among the actions", [BOOK, say(1)]),
    ("a batch in a list", [[BOOK]]),
    ("one action without its list", BOOK),
    ("text", "schedule"),
    ("the same move two thousand times", [BOOK, *[reschedule(ITEM.errand_id, AT, FREE[1])] * 2000]),
]


@pytest.mark.parametrize("batch", [c[1] for c in CLOSE], ids=[c[0] for c in CLOSE])
def test_a_batch_with_one_fault_changes_nothing(batch: Any) -> None:
    players = [Scripted() for _ in range(TASK.num_agents)]
    players[FIRST.participants[0]].script = {(DECISION, 0, attempt): batch for attempt in range(4)}
    trace = game_of(*players)
    check(trace)
    rejected = [e for e in trace.events if e.type == "batch_rejected" and e.data["round"] == 0]
    assert len(rejected) == 4 * len(FIRST.participants)
    assert trace.metrics["realized_cost"] == 0


def test_a_flood_of_calls_and_text_is_played_and_recorded() -> None:
    other = FIRST.speaker_order[1]
    calls = [say(other, f"message {n}") for n in range(3000)]
    everybody = {"type": "all_groupchat", "content": "Slot 1? " * 100_000}
    trace = game_of(*first_speaker([*calls, everybody, say(other, "=" * 900_000)]))
    assert trace.final_state["per_agent_messages_sent"][FIRST.speaker_order[0]] == 3002
    check(trace)
