"""The tables of what agents knew and meant: private labels, parameters, decisions, and what simulated speakers said on
purpose."""

from pipeline.tables.schemas.table import EVENT_INDEX, GAME_ID, ROUND, C, Table

LABELS_KNOWN = Table(
    "labels_known",
    "one private label that an agent could know",
    ("game_id", "agent", "kind", "item_id", "label"),
    (
        GAME_ID,
        C("agent", "int", "the agent"),
        C("kind", "str", "errand (its own) or meeting (that it takes part in)"),
        C("item_id", "int", "the errand or meeting"),
        C("label", "str", "the label"),
        C("tier", "str", "sensitive, neutral or public; empty where the trace does not say"),
        C("terms", "list[str]", "the words that disclose it, by the trace's record; else derived from the label"),
        C("known_from", "int", "the event from which on it could be known"),
        C("source", "str", "record: the trace's own; prompt: a rendering that the agent was shown"),
    ),
)

AGENT_PARAMETERS = Table(
    "agent_parameters",
    "one parameter of an agent that is a number",
    ("game_id", "agent", "parameter"),
    (
        GAME_ID,
        C("agent", "int", "the agent"),
        C("parameter", "str", "its name in the trace's configuration"),
        C("value", "float", "its value"),
    ),
)

DECISIONS = Table(
    "decisions",
    "one answer of an agent in VOLUNTARY or DECISION",
    ("game_id", "event_index"),
    (
        GAME_ID,
        EVENT_INDEX,
        ROUND,
        C("phase", "str", "VOLUNTARY or DECISION"),
        C("agent", "int", "the agent"),
        C("attempt", "int", "0 for its first answer of the phase"),
        C("actions", "int", "actions that it holds"),
        C("cut_off", "bool", "whether it holds no action and its text is no whole JSON object"),
    ),
)

THOUGHTS = Table(
    "thoughts",
    "one private reasoning of an agent, never sent to another",
    ("game_id", "event_index"),
    (
        GAME_ID,
        EVENT_INDEX,
        ROUND,
        C("phase", "str", "CHEAP_TALK, VOLUNTARY or DECISION"),
        C("agent", "int", "the agent"),
        C("content", "str", "its reasoning, as its model wrote it; up to 1,000,000 characters"),
    ),
)

INTENTS = Table(
    "intents",
    "one message of a simulated speaker, as it was meant",
    ("game_id", "event_index"),
    (
        GAME_ID,
        EVENT_INDEX,
        ROUND,
        C("agent", "int", "the sender"),
        C("act", "str", "what the message does"),
        C("behaviours", "list[str]", "the patterns that it shows on purpose"),
        C("phrases", "list[str]", "the templates that it is written from"),
        C("held_out", "bool", "whether a phrasing of it was kept from the parsers' authors"),
    ),
)

INTENDED_STATEMENTS = Table(
    "intended_statements",
    "one slot of one agent that a message of a simulated speaker tells of",
    ("game_id", "event_index", "statement_index"),
    (
        GAME_ID,
        EVENT_INDEX,
        C("statement_index", "int", "its place in the message, from 0"),
        C("target", "int", "the agent whose slot it is"),
        C("slot", "int", "the slot"),
        C("free", "bool", "whether the slot is said to be feasible"),
        C("kind", "str", "how it is said: positive, negative, occupied, cost or proposal"),
    ),
)

INTENDED_LABELS = Table(
    "intended_labels",
    "one private label that a message of a simulated speaker discloses",
    ("game_id", "event_index", "label_index"),
    (
        GAME_ID,
        EVENT_INDEX,
        C("label_index", "int", "its place in the message, from 0"),
        C("kind", "str", "errand or meeting"),
        C("item_id", "int", "the errand or meeting"),
        C("label", "str", "the label"),
    ),
)

INTENDED_TABLES = (LABELS_KNOWN, AGENT_PARAMETERS, DECISIONS, THOUGHTS, INTENTS, INTENDED_STATEMENTS, INTENDED_LABELS)
