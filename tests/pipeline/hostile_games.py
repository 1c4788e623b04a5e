"""Traces of games that cannot have been."""

from hostile import added, event, many_cells, text, value
from trace_builder import CALENDARS, rendering

# A trace, but of no game that can have been.
IMPOSSIBLE = (
    value("no slots", "events.0.data.num_slots", ..., "num_slots is 0, not a number from 1 to 10000"),
    value(
        "no agents",
        "events",
        [{"type": "game_start", "data": {"num_slots": 4}}],
        "no agent is registered: the calendars are unknown",
    ),
    value(
        "more agents than are registered",
        "events.0.data.num_agents",
        10**6,
        "num_agents is 1000000, but 3 agents are registered",
    ),
    value(
        "agents with a gap between their numbers",
        "events.3.data.agent_id",
        7,
        "agent 2 is not registered",
        ".events[12].data.meeting.participants[1]",
    ),
    value("an agent registered twice", "events.2.data.agent_id", 0, "agent 0 is registered twice"),
    value(
        "a calendar line that cannot be read",
        "events.1.data.calendar_render",
        "Slot  0: Errand #1",
        "the calendar's line Slot  0: Errand #1 cannot be read",
    ),
    value(
        "a calendar that shows a slot twice",
        "events.1.data.calendar_render",
        CALENDARS[0] + "\nSlot  0: [FREE]",
        "the calendar shows slot 0 twice",
    ),
    value(
        "a calendar that shows a slot too many",
        "events.1.data.calendar_render",
        rendering(*["[FREE]"] * 5),
        "the calendar shows slot 4, but has 4 slots",
    ),
    text(
        "two starts of the game",
        "x.json",
        added(("game_start", {"num_slots": 4})),
        "the game starts twice",
        ".events[17]",
    ),
    event(
        "a round that begins twice",
        "round_start",
        {"round": 1, "meeting": {"id": 9, "participants": [0]}},
        "round 1 begins after round 1",
        ".round",
    ),
    event(
        "a meeting's id repeated",
        "round_start",
        {"round": 2, "meeting": {"id": 1, "participants": [0]}},
        "meeting 1 is that of round 0",
        ".meeting.id",
    ),
    event(
        "a round resolved twice",
        "resolution",
        {"round": 1, "coordinated": False},
        "round 1 is resolved twice",
        ".round",
    ),
    event(
        "a message from no agent",
        "dm_sent",
        {"round": 1, "from_agent": 7, "to_agent": 1, "content": ""},
        "agent 7 is not registered",
        ".from_agent",
    ),
    event(
        "a batch of no agent",
        "batch_applied",
        {"round": 1, "agent_id": 7, "actions": []},
        "agent 7 is not registered",
        ".agent_id",
    ),
    event(
        "a message in a round that never begins",
        "dm_sent",
        {"round": 9, "from_agent": 0, "to_agent": 1, "content": ""},
        "round 9 never begins",
        ".round",
    ),
    event(
        "a batch in a round that never begins",
        "batch_applied",
        {"round": 9, "agent_id": 0, "actions": []},
        "round 9 has not begun",
        ".round",
    ),
    value(
        "costs of the oracle for two of three agents",
        "config.scenario",
        {"optimal": {"per_agent_cost": [1, 0]}},
        "2 costs for 3 agents",
        ".config.scenario.optimal.per_agent_cost",
    ),
    text(
        "more slots of calendars than memory should hold",
        "x.json",
        many_cells,
        "more than {CELLS} slots of calendars",
        ".events[1016].data",
    ),
    event(
        "more messages than memory should hold",
        "all_groupchat_sent",
        {"round": 1, "from_agent": 0, "to_agents": [1, 2], "content": "a" * 300_000},
        "more than {DELIVERED_CHARS} characters of messages, times their recipients",
        ".content",
    ),
)

# A game may be, and its messages say too much.
TALKATIVE = (
    event(
        "messages that claim more than memory should hold",
        "all_groupchat_sent",
        {"round": 1, "from_agent": 0, "to_agents": [1, 2], "content": "Agents 0, 1 and 2 are free at slots 0-3. " * 40},
        "more than {DELIVERED_CLAIMS} claims of messages, times their recipients",
        ".content",
    ),
)
