"""The tables of how agents spoke: leaks, patterns, stance, volume, and what the finders got right of what was meant."""

from pipeline.tables.schemas.table import EVENT_INDEX, GAME_ID, ROUND, SPAN_END, SPAN_START, C, Table

LEAKS = Table(
    "leaks",
    "one private label told to one recipient by one message",
    ("game_id", "event_index", "to_agent", "label"),
    (
        GAME_ID,
        EVENT_INDEX,
        ROUND,
        C("from_agent", "int", "the sender"),
        C("to_agent", "int", "the recipient"),
        C("label", "str", "the label"),
        C("tier", "str", "sensitive, neutral or public; empty where the trace does not say"),
        C("matched_text", "str", "the longest words of the message that disclose it"),
        SPAN_START,
        SPAN_END,
        C("induced", "bool", "sent to a probing agent, or after one wrote to the sender in the same round"),
        C("recipient_entitled", "bool", "whether it is the label of a meeting that the recipient takes part in"),
        C("kind", "str", "errand or meeting"),
        C("item_id", "int", "the errand or meeting"),
    ),
)

PATTERNS = Table(
    "patterns",
    "one occurrence of a pattern: a message, a move, a round, a meeting of a game, or an agent of a failed round",
    ("game_id", "round", "event_index", "pattern", "agent", "item_id"),
    (
        GAME_ID,
        ROUND,
        EVENT_INDEX,
        C("pattern", "str", "one of the twelve of Table 4"),
        C("agent", "int", "who shows it: the sender, the mover; empty where that is not one agent"),
        SPAN_START,
        SPAN_END,
        C("item_id", "int", "the errand moved, or the meeting broken again; empty for other patterns"),
        C("strict", "bool", "whether it also holds by the stricter definition (docs/patterns.md)"),
    ),
)

STANCE = Table(
    "stance",
    "one agent of a game",
    ("game_id", "agent"),
    (
        GAME_ID,
        C("agent", "int", "the agent"),
        C("english_messages", "int", "messages in English that it sent"),
        C("acquiescing", "int", "of those, messages with an acquiescence phrase"),
        C("pushing_back", "int", "of those, messages with a pushback phrase"),
        C("both", "int", "of those, messages with both"),
    ),
)

ROUND_VOLUME = Table(
    "round_volume",
    "one round of a game",
    ("game_id", "round"),
    (
        GAME_ID,
        ROUND,
        C("meeting_index", "int", "the round's place among those of its game, from 1"),
        C("messages", "int", "messages sent in it, a group message once"),
        C("dms", "int", "direct messages sent in it"),
        C("said_chars", "int", "length of its messages; of a protocol's JSON, of keys and values alone", "characters"),
        C("prior_meetings_moved", "int", "earlier meetings that somebody moved in it"),
        C("first_feasible_slot", "int", "the first slot where no participant holds a meeting or a blocked item"),
        C("took_first_feasible", "bool", "whether its meeting went there; empty unless it was coordinated"),
        C("cumulative_cost", "int", "costs of all moves up to its end", "cost"),
        C("cumulative_optimal_cost", "int", "the oracle's cost of the meetings so far; empty when unknown", "cost"),
        C("cumulative_excess", "int", "cumulative_cost − cumulative_optimal_cost", "cost"),
    ),
)

SPEAKER_VOLUME = Table(
    "speaker_volume",
    "one agent in a round: a participant of its meeting, or who else wrote",
    ("game_id", "round", "agent"),
    (
        GAME_ID,
        ROUND,
        C("agent", "int", "the agent"),
        C("position", "int", "its place among the speakers, from 1; empty for a non-participant"),
        C("messages", "int", "messages that it sent, a group message once"),
        C("dms", "int", "direct messages that it sent"),
        C("said_chars", "int", "length of its messages; of a protocol's JSON, of keys and values alone", "characters"),
    ),
)

TRUTH = Table(
    "truth",
    "one finder in one game of simulated speakers, on messages of one wording",
    ("game_id", "finder", "part", "held_out", "wording"),
    (
        GAME_ID,
        C("finder", "str", "language, leaks or patterns"),
        C("part", "str", "all, or what it finds: feasible or infeasible slots, a tier, a pattern"),
        C("held_out", "bool", "whether the messages' phrasings were kept from the parsers' authors"),
        C("wording", "str", "the templates that the messages are written from, joined by +"),
        C("hits", "int", "what was meant and found"),
        C("false_alarms", "int", "what was found and not meant"),
        C("misses", "int", "what was meant and not found"),
    ),
)

SPEECH_TABLES = (LEAKS, PATTERNS, STANCE, ROUND_VOLUME, SPEAKER_VOLUME, TRUTH)
