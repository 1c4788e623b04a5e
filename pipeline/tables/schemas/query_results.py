"""The result tables that the queries of sql/ make beside Table 1: by difficulty, meeting, speaker, member, pattern and
source."""

from pipeline.tables.schemas.paper_results import TABLE1
from pipeline.tables.schemas.table import CONDITION, SIMULATED, TEAM, WEIGHT_MODE, C, Table

SETTING = C("setting", "str", "uniform or varied errand costs; empty where the traces do not say")
GAMES = C("games", "int", "games that ended")
SENT = C("messages", "int", "messages that they hold, direct and in groups")
LEVEL = C("level", "str", "message or social: whether one message shows it, or what agents do together")
COUNTED = C("unit", "str", "what is counted: messages, moves, rounds, meetings or agents")
OCCURRENCES = C("occurrences", "int", "how often it occurs")
STRICT = C("strict_occurrences", "int", "how often by the stricter definition too")
GROUP = (TEAM, SIMULATED, SETTING, CONDITION)

TABLE1_BY_DIFFICULTY = Table(
    "table1_by_difficulty",
    "one team, setting, condition and difficulty: Table 1's means over its games",
    (*TABLE1.key, "difficulty"),
    (
        *TABLE1.columns[:4],
        C("difficulty", "str", "easy, medium or hard, or a level of an own list; empty where the traces do not say"),
        *TABLE1.columns[4:],
    ),
)

TABLE2 = Table(
    "table2",
    "one team, condition and pattern of the three that explain failures, over both settings",
    ("team", "condition", "pattern"),
    (
        TEAM,
        SIMULATED,
        CONDITION,
        LEVEL,
        C("pattern", "str", "availability gossip, false agreement or qualitative flattening"),
        COUNTED,
        GAMES,
        SENT,
        OCCURRENCES,
        STRICT,
        C("share_of_messages", "float", "occurrences / messages, where messages are counted"),
    ),
)

VOLUME = Table(
    "volume",
    "one team, setting, condition and difficulty: how much was said, and what it led to",
    ("team", "setting", "condition", "difficulty"),
    (
        *GROUP,
        C("difficulty", "str", "easy, medium, hard, unknown or a level of an own list; all: every task"),
        GAMES,
        C("dms_per_meeting", "float", "direct messages / meetings held, of all games together"),
        C("dms_per_scheduled", "float", "Table 1's: mean over games of direct messages / meetings scheduled"),
        C("said_chars_per_message", "float", "text said / messages, of all games together", "characters"),
        C("said_chars_per_meeting", "float", "text said / meetings held, of all games together", "characters"),
        C("prior_meetings_moved_per_game", "float", "distinct earlier meetings that somebody moved (Figure 6)"),
        C(
            "first_feasible_share",
            "float",
            "of coordinated meetings that had such a slot, the share that took the first",
        ),
        C("fairness", "float", "mean over games of least agent's cost / largest agent's"),
    ),
)

VOLUME_BY_MEETING = Table(
    "volume_by_meeting",
    "one team, setting, condition and meeting: means over games (Figure 4)",
    ("team", "setting", "condition", "meeting_index"),
    (
        *GROUP,
        C("meeting_index", "int", "the meeting's place in the stream, from 1"),
        GAMES,
        C("dms", "float", "direct messages"),
        C("messages", "float", "messages, direct and in groups"),
        C("said_chars", "float", "text said", "characters"),
        C("prior_meetings_moved", "float", "earlier meetings that somebody moved in its round"),
        C("cumulative_cost", "float", "cost of all moves until its end", "cost"),
        C("cumulative_optimal_cost", "float", "the oracle's cost of the meetings so far", "cost"),
        C("cumulative_excess", "float", "cumulative − cumulative optimal cost", "cost"),
    ),
)

VOLUME_BY_SPEAKER = Table(
    "volume_by_speaker",
    "one team, setting, condition and speaker's place (Figure 5)",
    ("team", "setting", "condition", "position"),
    (
        *GROUP,
        C("position", "int", "the speaker's place among the meeting's participants, from 1; 0: all who take no part"),
        C("meetings", "int", "meetings of all its games"),
        C("dms_per_meeting", "float", "direct messages from that place / meetings"),
        C("said_chars_per_meeting", "float", "text said from that place / meetings", "characters"),
        C("share_of_dms", "float", "its part of the group's direct messages; empty where there are none"),
    ),
)

ACCEPTED_OFFERS = Table(
    "accepted_offers",
    "one team, setting and condition: which offered slot its meetings took",
    ("team", "setting", "condition"),
    (
        *GROUP,
        C("meetings", "int", "coordinated meetings for which somebody offered a feasible slot"),
        C("slots_offered", "float", "mean over these of the distinct feasible slots offered"),
        C("first_pct", "float", "share of these in the feasible slot that was offered first", "%"),
        C("second_pct", "float", "share in the one offered second", "%"),
        C("later_pct", "float", "share in one offered later", "%"),
        C("not_offered_pct", "float", "share in a slot that nobody had offered", "%"),
    ),
)

PROPOSED_MOVES = Table(
    "proposed_moves",
    "one team, setting and condition: what its proposals would displace",
    ("team", "setting", "condition"),
    (
        *GROUP,
        C("proposals", "int", "slots that one agent offered in one round, each once"),
        C("feasible_pct", "float", "share of these that every participant has free, or can clear of an errand", "%"),
        C("own_errand_pct", "float", "share where the sender holds an errand that is not blocked", "%"),
        C("recipient_errand_pct", "float", "share where a participant to whom it was offered holds one", "%"),
        C("displaced_cost", "float", "mean over feasible proposals of the cost of the participants' errands", "cost"),
        C("cheaper_slot_pct", "float", "share of feasible proposals beside a feasible slot of lower cost", "%"),
        C(
            "cheaper_errand_pct",
            "float",
            "share of feasible proposals right after another that displace errands of lower cost, and not 0",
            "%",
        ),
    ),
)

MEMBERS = Table(
    "members",
    "one team, setting, condition and kind of agent in it: means over its seats in all games",
    ("team", "setting", "condition", "member", "variant", "nosy"),
    (
        *GROUP,
        C("member", "str", "the agent's model, or else its type"),
        C("variant", "int", "parts agents of one type by their parameters, from 1 by seat"),
        C("nosy", "bool", "whether it probes"),
        GAMES,
        C("seats", "int", "agents of that kind in them"),
        C("cost", "float", "cost of its own moves", "cost"),
        C("excess_burden", "float", "own cost − its share in the optimal schedule", "cost"),
        C("messages_sent", "float", "messages that it sent, a game"),
        C("vps_given_mean", "float", "what was learnt of it, equal weights, over observed pairs and rounds", "VPS"),
        C("vps_learnt_mean", "float", "what it learnt of others, likewise", "VPS"),
    ),
)

STANCE = Table(
    "stance",
    "one team and condition, over both settings (Table 3)",
    ("team", "condition"),
    (
        TEAM,
        SIMULATED,
        CONDITION,
        GAMES,
        C("english_messages", "int", "messages in English"),
        C("acquiescence_pct", "float", "share of these that give in", "%"),
        C("pushback_pct", "float", "share that resist", "%"),
        C("both_pct", "float", "share that do both", "%"),
        C("ratio", "float", "acquiescence / pushback; empty without pushback"),
        C("expensive_moves", "int", "errands of cost 100 or more that were moved in varied games"),
        C(
            "expensive_moves_per_varied_game",
            "float",
            "these / varied games; empty where a setting is unknown",
        ),
        C("profile", "str", "the profile's name in the paper, by the rule in sql/stance.sql"),
    ),
)

LEAKS = Table(
    "leaks",
    "one team, setting, condition and tier of labels: semantic leaks (Appendix C)",
    ("team", "setting", "condition", "tier"),
    (
        *GROUP,
        C("tier", "str", "sensitive, neutral, public or unknown; all: every tier"),
        GAMES,
        SENT,
        C("leaked_messages", "int", "messages that disclose a label of the tier, each once"),
        C(
            "induced_messages",
            "int",
            "those sent to a probing agent, or after one wrote to the sender in the same round",
        ),
        C("spontaneous_messages", "int", "the others"),
        C("messages_to_entitled", "int", "those that tell a recipient the label of a meeting that it takes part in"),
        C("leaks", "int", "rows of the table leaks: a message, label and recipient each"),
        C("leaked_share", "float", "leaked messages / messages"),
        C("induced_share", "float", "induced messages / messages"),
    ),
)

PATTERNS = Table(
    "patterns",
    "one team, setting, condition and pattern (Table 4)",
    ("team", "setting", "condition", "pattern"),
    (
        *GROUP,
        C("paper_rank", "int", "its rank in the paper, from 1"),
        C("pattern", "str", "the pattern, by its name in the table patterns"),
        LEVEL,
        COUNTED,
        GAMES,
        SENT,
        OCCURRENCES,
        STRICT,
        C("per_game", "float", "occurrences / games"),
        C("per_message", "float", "occurrences / messages, where messages are counted"),
    ),
)

VPS_BY_SOURCE = Table(
    "vps_by_source",
    "one team, setting, condition, weight mode and source of updates",
    ("team", "setting", "condition", "weight_mode", "source"),
    (
        *GROUP,
        WEIGHT_MODE,
        C("source", "str", "the kind of evidence that moved beliefs"),
        C("games", "int", "games in which it did"),
        C("updates", "int", "updates of beliefs"),
        C("vps_loss_moved", "float", "privacy loss that they brought, all games together", "VPS"),
        C("share", "float", "its part of the loss of all sources together"),
    ),
)

MODELS = Table(
    "models",
    "one team, condition and model of agents that do not probe",
    ("team", "condition", "model"),
    (
        TEAM,
        SIMULATED,
        CONDITION,
        C("model", "str", "the model as the traces name it; empty for agents without one"),
        C("agents", "int", "agents with it, in all games"),
        GAMES,
        C("tasks", "int", "their tasks"),
    ),
)

SETUP = Table(
    "setup",
    "one condition, setting and fact of the set-up",
    ("condition", "setting", "fact"),
    (
        CONDITION,
        C("setting", "str", "uniform, varied or unknown; pooled: all together"),
        C("fact", "str", "tasks, tasks_per_cell, agents, participants_per_meeting, meetings or slots"),
        C("value", "int", "its value; empty where games differ in it"),
    ),
)

STYLES = Table(
    "styles",
    "one team whose agents have parameters, setting, condition and measure",
    ("team", "setting", "condition", "kind", "name"),
    (
        *GROUP,
        C("kind", "str", "parameter: given to the agents; outcome: what it led to"),
        C("name", "str", "the parameter, figure or pattern"),
        C("value", "float", "mean over agents of a parameter, over games of an outcome; patterns a message, or a game"),
    ),
)

STYLE_EFFECTS = Table(
    "style_effects",
    "one setting, condition, parameter and outcome, over the simulated teams that played every task there",
    ("setting", "condition", "parameter", "outcome"),
    (
        SETTING,
        CONDITION,
        C("parameter", "str", "the parameter of a style"),
        C("outcome", "str", "the pattern, or coordination_rate, excess_cost or vps"),
        C("teams", "int", "the teams that state it"),
        C(
            "correlation",
            "float",
            "Pearson's over these teams, a hint, no test; empty for two, or without variation",
        ),
        C("by_construction", "bool", "whether the parameter brings the outcome about by its meaning"),
    ),
)

QUERY_RESULTS = (
    TABLE1_BY_DIFFICULTY,
    TABLE2,
    VOLUME,
    VOLUME_BY_MEETING,
    VOLUME_BY_SPEAKER,
    ACCEPTED_OFFERS,
    PROPOSED_MOVES,
    MEMBERS,
    STANCE,
    LEAKS,
    PATTERNS,
    VPS_BY_SOURCE,
    MODELS,
    SETUP,
    STYLES,
    STYLE_EFFECTS,
)
