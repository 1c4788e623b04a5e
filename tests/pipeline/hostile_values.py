"""JSON that is no trace, and traces that are wrong in a value."""

from hostile import huge_message, text, value

# JSON, but no trace.
MISSHAPEN = (
    text("an array", "x.json", b"[1, 2]", "not a trace: Expected `object`, got `array`", "top level"),
    value("an empty game_id", "game_id", "", "game_id is empty"),
    value("a game_id of 201 characters", "game_id", "g" * 201, "not a trace: Expected `str` of length <= 200"),
    value("events that are no list", "events", {}, "not a trace: Expected `array`, got `object`"),
    value("an unknown schema_version", "schema_version", 2, "schema_version is 2; known are none and 1"),
    value("a round that is text", "events.6.data.round", "first", "not a trace: Expected `int`, got `str`"),
    value("a round that is huge", "events.6.data.round", 10**12, "not a trace: Expected `int` <= 1000000000"),
    value("an integer beyond 64 bits", "config.seed", 2**64, "not a trace: Expected `int` <= 9223372036854775807"),
    value(
        "a slot that is a boolean",
        "events.9.data.actions.1.slot",
        True,
        "not a trace: Expected `int | null`, got `bool`",
    ),
    value("an action of an unknown type", "events.9.data.actions.0.type", "swap", "not a trace: Invalid value 'swap'"),
    value(
        "an action that does not say where to",
        "events.9.data.actions.0.to_slot",
        None,
        "a reschedule action does not say of what, or where",
        ".events[9].data.actions[0]",
    ),
    text(
        "a message of more than 1,000,000 characters",
        "x.json",
        huge_message,
        "not a trace: Expected `str` of length <= 1000000",
        ".events[17].data.content",
    ),
)
