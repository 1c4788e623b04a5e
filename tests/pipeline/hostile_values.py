"""JSON that is no trace, and traces that are wrong in a value."""

from hostile import huge_message, text, value

# JSON, but no trace.
MISSHAPEN = (
    text("an array", "x.json", b"[1, 2]", "not a trace: Expected `object`, got `array`", "top level"),
    text("null", "x.json", b"null", "not a trace: Expected `object`, got `null`", "top level"),
    text("other JSON", "x.json", b'{"a": 1}', "not a trace: Object missing required field `game_id`", "top level"),
    value("no game_id", "game_id", ..., "not a trace: Object missing required field `game_id`", "top level"),
    value("an empty game_id", "game_id", "", "game_id is empty"),
    value("a number for a game_id", "game_id", 7, "not a trace: Expected `str`, got `int`"),
    value("a game_id of 201 characters", "game_id", "g" * 201, "not a trace: Expected `str` of length <= 200"),
    value("no events", "events", ..., "not a trace: Object missing required field `events`", "top level"),
    value("events that are no list", "events", {}, "not a trace: Expected `array`, got `object`"),
    value("an event that is no object", "events.4", 3, "not a trace: Expected `object`, got `int`"),
    value(
        "an event without data", "events.4.data", ..., "not a trace: Object missing required field `data`", ".events[4]"
    ),
    value("data that is null", "events.4.data", None, "not a trace: Expected `object`, got `null`"),
    value("an unknown schema_version", "schema_version", 2, "schema_version is 2; known are none and 1"),
    value("a schema_version that is text", "schema_version", "1", "schema_version is '1'; known are none and 1"),
    value("a round that is text", "events.6.data.round", "first", "not a trace: Expected `int`, got `str`"),
    value("a round that is negative", "events.6.data.round", -1, "not a trace: Expected `int` >= 0"),
    value("a round that is huge", "events.6.data.round", 10**12, "not a trace: Expected `int` <= 1000000000"),
    value("an integer beyond 64 bits", "config.seed", 2**64, "not a trace: Expected `int` <= 9223372036854775807"),
    value("an integer of 5,000 digits", "events.6.data.turn", 10**4000, "not a trace: Expected `int` <= 1000000000"),
    value(
        "a slot that is a float", "events.9.data.actions.1.slot", 1.0, "not a trace: Expected `int | null`, got `float`"
    ),
    value(
        "a slot that is a boolean",
        "events.9.data.actions.1.slot",
        True,
        "not a trace: Expected `int | null`, got `bool`",
    ),
    value("an agent that is a boolean", "events.6.data.from_agent", True, "not a trace: Expected `int`, got `bool`"),
    value("a negative optimal cost", "events.0.data.optimal_cost", -1, "not a trace: Expected `int` >= 0"),
    value("an action of an unknown type", "events.9.data.actions.0.type", "swap", "not a trace: Invalid value 'swap'"),
    value(
        "an action that does not say where to",
        "events.9.data.actions.0.to_slot",
        None,
        "a reschedule action does not say of what, or where",
        ".events[9].data.actions[0]",
    ),
    value(
        "a meeting without participants",
        "events.4.data.meeting.participants",
        [],
        "not a trace: Expected `array` of length >= 1",
    ),
    value("a message that is no text", "events.6.data.content", {"a": 1}, "not a trace: Expected `str`, got `object`"),
    text(
        "a message of more than 1,000,000 characters",
        "x.json",
        huge_message,
        "not a trace: Expected `str` of length <= 1000000",
        ".events[17].data.content",
    ),
)
