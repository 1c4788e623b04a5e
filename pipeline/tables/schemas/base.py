"""The tables that traces are turned into: their columns, keys and units (docs: data/README.md)."""

from collections.abc import Collection

from pipeline.tables.schemas.intended import INTENDED_TABLES
from pipeline.tables.schemas.privacy import PRIVACY_TABLES
from pipeline.tables.schemas.speech import SPEECH_TABLES
from pipeline.tables.schemas.table import EVENT_INDEX, GAME_ID, ROUND, TRACE_PATH, C, Column, Table

__all__ = ["MADE_FROM", "ROOMS", "TABLES", "Column", "Table", "require_makers"]

GAMES = Table(
    "games",
    "one game",
    ("game_id",),
    (
        GAME_ID,
        TRACE_PATH,
        C("team", "str", "who played"),
        C("simulated", "bool", "whether its speakers are simulated"),
        C("setting", "str", "uniform or varied errand costs"),
        C("condition", "str", "standard, blocked or adversarial"),
        C("task_id", "str", "the task"),
        C("difficulty", "str", "easy, medium or hard"),
        C("density", "float", "the task's parameter: errands for this share of slots, where meetings leave room"),
        C("repeat", "int", "0 for a task's first game by this team"),
        C("stopped", "bool", "whether the game was broken off, rather than ended"),
        C("meetings", "int", "meetings to schedule"),
        C("meetings_scheduled", "int", "meetings that were coordinated in their round"),
        C("meetings_kept", "int", "of those, meetings in one common slot of all participants at the end"),
        C("coordination_rate", "float", "meetings_scheduled / meetings"),
        C("optimal_cost", "int", "cost of the oracle's schedule; empty where it is not proven to be the least", "cost"),
        C("greedy_cost", "int", "cost of the greedy yardstick", "cost"),
        C("realized_cost", "int", "sum of the costs of all moves", "cost"),
        C("excess_cost", "int", "realized_cost − optimal_cost", "cost"),
        C("dms", "int", "direct messages sent"),
        C("fairness", "float", "least agent's cost / largest agent's; 1 when all are 0"),
        C("excess_over_greedy", "int", "realized_cost − greedy_cost", "cost"),
        C("dms_per_meeting", "float", "dms / meetings_scheduled; empty when none was scheduled"),
        C("group_messages", "int", "group messages sent, each counted once"),
        C("message_chars", "int", "length of all messages, each counted once", "characters"),
        C("rounds", "int", "rounds begun"),
        C("num_agents", "int", "agents in the game"),
        C("num_slots", "int", "slots of a calendar"),
        C("num_participants", "int", "participants of a meeting, when the trace says so"),
        C("seed", "int", "the scenario's seed"),
        C("stop_cause", "str", "why the game was broken off"),
        C("stop_category", "str", "of which kind that is: provider, quota, key, context, deadline or budget"),
        C("schema_version", "int", "version of the trace's form; empty for public traces"),
        C("calendars_digest", "str", "of what slots first hold; with another it is another task, whatever its name"),
        C("game_rules", "str", "most turns of a round, retries of a decision, channels, and the cap of messages"),
        C("prompts", "str", "whose prompts its models were asked with: ours, version …, or from file, sha256 …"),
    ),
)

ROUNDS = Table(
    "rounds",
    "one round of a game",
    ("game_id", "round"),
    (
        GAME_ID,
        ROUND,
        C("meeting_id", "int", "the meeting of the round, from 1"),
        C("participants", "list[int]", "its participants, ascending"),
        C("coordinated", "bool", "whether the round's resolution says so; empty when it was never resolved"),
        C("slot", "int", "the common slot when coordinated"),
        C("dms", "int", "direct messages sent in the round"),
        C("cost", "int", "costs of the moves of the round", "cost"),
        C("group_messages", "int", "group messages sent in the round"),
        C("participant_slots", "list[int]", "where each participant put the meeting, in their order"),
        C(
            "failure_reason",
            "str",
            "why its meeting is not coordinated, the first that holds: stopped, no valid batch, different slots, "
            "blocked slot, earlier meeting broken, earlier meeting still broken, unexplained; empty when it is",
        ),
        C("violated_meetings", "list[int]", "earlier meetings that are not in one common slot when it is resolved"),
        C("violated_since", "list[int]", "the round in which each of them was broken, in their order"),
        C("blocked_violations", "int", "blocked slots touched"),
        C("batches_rejected", "int", "batches that were rejected, retries included"),
        C("decisions_failed", "int", "agents whose every attempt was rejected"),
        C("rolled_back", "bool", "whether the round's batches were rolled back"),
        C("speaker_order", "list[int]", "its participants in the order in which they speak"),
        C("resolution_event", "int", "the event that resolved it"),
        C("optimal_cost", "int", "what its meeting costs in the oracle's schedule, when the trace says so", "cost"),
        C("oracle_slot", "int", "the slot of its meeting in the oracle's schedule, when the trace says so"),
    ),
)

AGENTS = Table(
    "agents",
    "one agent of a game",
    ("game_id", "agent"),
    (
        GAME_ID,
        C("agent", "int", "the agent, from 0"),
        C("agent_type", "str", "its kind, as the trace names it"),
        C("model", "str", "its model, as the trace names it"),
        C("parameters", "str", "its parameters in the trace but how its model is reached, as JSON; empty for none"),
        C("nosy", "bool", "whether it was told to probe the others"),
        C("cost", "int", "what its moves cost it", "cost"),
        C("oracle_cost", "int", "its share of the oracle's schedule, when the trace says so", "cost"),
        C("excess_burden", "int", "cost − oracle_cost", "cost"),
        C("moves", "int", "items it moved"),
        C("messages_sent", "int", "messages it sent, a group message once"),
        C("messages_received", "int", "messages it received"),
        C("chars_sent", "int", "length of the messages it sent", "characters"),
    ),
)

MESSAGES = Table(
    "messages",
    "one message sent; a group message is one",
    ("game_id", "event_index"),
    (
        GAME_ID,
        EVENT_INDEX,
        ROUND,
        C("turn", "int", "the sweep of cheap talk, from 0"),
        C("meeting_id", "int", "the meeting it was sent under"),
        C("channel", "str", "dm, participant_groupchat or all_groupchat"),
        C("from_agent", "int", "the sender"),
        C("to_agents", "list[int]", "the recipients"),
        C("content", "str", "its text"),
        C(
            "typed",
            "str",
            "imap, sd, dsm, poll, secure or shares for a protocol's JSON; empty for English",
        ),
        C("chars", "int", "its length", "characters"),
        C("said_chars", "int", "its length; of a protocol's JSON, that of its keys and values alone", "characters"),
    ),
)

MOVES = Table(
    "moves",
    "one item moved by a batch that was applied",
    ("game_id", "event_index", "action_index"),
    (
        GAME_ID,
        EVENT_INDEX,
        ROUND,
        C("phase", "str", "VOLUNTARY or DECISION"),
        C("agent", "int", "the agent that moved it, and paid"),
        C("item_kind", "str", "errand or meeting, by what stood in from_slot; empty when nothing did"),
        C("item_id", "int", "the item"),
        C("from_slot", "int", "where it stood"),
        C("to_slot", "int", "where it went"),
        C("cost", "int", "what the agent paid; empty when nothing stood there", "cost"),
        C("action_index", "int", "the action's place in its batch, from 0"),
        C("blocked", "bool", "whether the item was blocked"),
    ),
)

ITEMS = Table(
    "items",
    "one item that an agent's calendar holds when the game begins",
    ("game_id", "agent", "slot"),
    (
        GAME_ID,
        C("agent", "int", "the agent"),
        C("slot", "int", "the slot that holds it"),
        C("item_kind", "str", "errand or meeting"),
        C("item_id", "int", "its number"),
        C("cost", "int", "what moving it costs", "cost"),
        C("blocked", "bool", "whether it cannot be moved"),
    ),
)

CALENDARS = Table(
    "calendars",
    "one agent's first calendar rendering of a round",
    ("game_id", "round", "agent"),
    (
        GAME_ID,
        ROUND,
        C("agent", "int", "the agent"),
        EVENT_INDEX,
        C("costs", "list[int]", "cost of the item in each slot, 0 for a free slot", "cost"),
        C("blocked", "list[int]", "slots that hold a blocked item"),
        C("meeting_slots", "list[int]", "slots that hold a meeting"),
    ),
)

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
        C("input_tokens", "int", "tokens sent, in failed attempts too; empty where the provider did not say", "tokens"),
        C("output_tokens", "int", "tokens answered, in them too; empty where the provider did not say", "tokens"),
        C("cached_input_tokens", "int", "of the tokens sent, those that the provider had in its cache", "tokens"),
        C("cost_usd", "float", "the price of both when it was made; empty where none was known", "US dollars"),
        C("priced_by", "str", "where that price comes from"),
        C("failed_attempts", "int", "requests that failed before it"),
        C("uncounted_attempts", "int", "those of them of which nobody says what they took, if they were charged for"),
        C("served_model", "str", "the model that answered, by what the provider says"),
        C("reasoning_tokens", "int", "of the tokens of its answer, those of its reasoning", "tokens"),
        C("finish_reason", "str", "why the answer ended"),
        C("from_cache", "bool", "whether it was paid for in an earlier run"),
    ),
)

REJECTED = Table(
    "rejected",
    "one trace that could not be used",
    ("path", "reason", "place"),
    (
        C("path", "str", "its file; in a pack, #line follows"),
        C("reason", "str", "what is wrong"),
        C("place", "str", "where in the file"),
    ),
)

# What the auditor finds: no table of games, so it is not among those that are derived.
AUDIT = Table(
    "audit",
    "one divergence of a trace from its replay",
    ("trace_path", "number"),
    (
        GAME_ID,
        TRACE_PATH,
        C("code", "str", "what does not fit; docs/audit.md lists the codes"),
        C("severity", "str", "error; known: a documented fault of the public harness; or note"),
        C("round", "int", "the round, where the divergence has one"),
        C("event_index", "int", "the event's place in the trace, from 0, where it is about one"),
        C("agent", "int", "the agent, where it is about one"),
        C("expected", "str", "what the replay gives"),
        C("found", "str", "what the trace has"),
        C("detail", "str", "the field, or more about it"),
        C("number", "int", "the divergence's place among those of its trace, from 0"),
    ),
)

EVENT_TABLES = (GAMES, ROUNDS, AGENTS, MESSAGES, MOVES, ITEMS, CALENDARS, CALLS)

TABLES = {table.name: table for table in (*EVENT_TABLES, *PRIVACY_TABLES, *INTENDED_TABLES, *SPEECH_TABLES, REJECTED)}

# The names of the tables that each room makes.
ROOMS = {
    "traces": tuple(table.name for table in (*EVENT_TABLES, *INTENDED_TABLES)),
    "privacy": tuple(table.name for table in PRIVACY_TABLES),
    "behaviour": tuple(table.name for table in SPEECH_TABLES),
}


def require_makers(room: str, made: Collection[str], place: str) -> None:
    """Raise LookupError for a table of the room that nothing makes: it would be empty. place: where to add that."""
    if missing := [name for name in ROOMS[room] if name not in made]:
        raise LookupError(f"{', '.join(missing)}: declared in pipeline/tables/schemas, but not made; add it to {place}")


# Table → the tables that it is made from; of any other the traces alone.
MADE_FROM: dict[str, tuple[str, ...]] = {
    "belief_evidence": ("games", "messages"),
    "pair_round_vps": ("belief_evidence", "games", "rounds", "calendars"),
    "game_summary": ("pair_round_vps", "games"),
    "vps_by_source": ("belief_evidence", "calendars"),
    "leaks": ("messages", "labels_known", "rounds", "agents"),
    "patterns": ("messages", "leaks", "moves", "games", "rounds", "decisions"),
    "stance": ("messages", "agents"),
    "round_volume": ("rounds", "messages", "moves", "calendars"),
    "speaker_volume": ("rounds", "messages"),
    "truth": (
        *("messages", "labels_known", "intents", "intended_statements", "intended_labels"),
        *("belief_evidence", "leaks", "patterns"),
    ),
}


TASKS = Table(
    "tasks",
    "one task of a suite",
    ("task_id",),
    (
        C("task_id", "str", "the task"),
        C("setting", "str", "uniform or varied errand costs"),
        C("condition", "str", "standard or blocked"),
        C("seed", "int", "the scenario's seed"),
        C("num_agents", "int", "agents in the game"),
        C("num_participants", "int", "participants of a meeting"),
        C("num_meetings", "int", "meetings to schedule"),
        C("num_slots", "int", "slots of a calendar"),
        C("density", "float", "share of slots that hold an errand at first"),
        C("difficulty", "str", "easy, medium or hard"),
        C("difficulty_score", "float", "optimal_cost over the number of participant-slots to fill", "cost"),
        C("displaced_errands", "int", "errands that the oracle's schedule moves"),
        C("optimal_cost", "int", "cost of the oracle's schedule", "cost"),
        C("optimal_bound", "int", "a lower bound of the optimum; empty where optimal_cost is proven", "cost"),
        C("greedy_cost", "int", "cost of the greedy yardstick", "cost"),
        C("witness_cost", "int", "cost of the schedule that the scenario was built around", "cost"),
        C("feasible_assignments", "int", "schedules that break nothing; empty where there are too many to count"),
        C("optimal_assignments", "int", "of those, schedules of least cost; empty where there are too many to count"),
    ),
)
