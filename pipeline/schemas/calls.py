"""The table of calls to models: what an answer took."""

from pipeline.schemas.table import EVENT_INDEX, GAME_ID, ROUND, C, Table

CALLS = Table(
    "calls",
    "one answer of a model, as far as the trace says what it took",
    ("game_id", "event_index"),
    (
        GAME_ID,
        EVENT_INDEX,
        ROUND,
        C("phase", "str", "CHEAP_TALK, VOLUNTARY or DECISION"),
        C("agent", "int", "the agent"),
        C("model", "str", "the model that was asked"),
        C("input_tokens", "int", "tokens of what it was sent; empty where the provider did not say", "tokens"),
        C("output_tokens", "int", "tokens of its answer; empty where the provider did not say", "tokens"),
        C("cached_input_tokens", "int", "of the tokens sent, those that the provider had in its cache", "tokens"),
        C("cost_usd", "float", "its price when it was made; empty where none was known", "US dollars"),
        C("priced_by", "str", "where that price comes from"),
        C("failed_attempts", "int", "requests that failed before it; what they cost is not known"),
    ),
)
