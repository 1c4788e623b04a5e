"""The result tables that stand beside the paper: its Table 1, its figures one by one, and its statements."""

from pipeline.tables.schemas.table import CONDITION, SIMULATED, TEAM, C, Table

# Of a test, where there is one.
STATISTIC = C("statistic", "float", "the statistic of `test`; empty where there is none")
LOW = C("low", "float", "lower end of its 95 % interval")
HIGH = C("high", "float", "its upper end")
P_VALUE = C("p_value", "float", "the test's p")
P_HOLM = C("p_holm", "float", "the same by Holm's correction over all tests of the table")

TABLE1 = Table(
    "table1",
    "one team, setting and condition: its means over games that ended",
    ("team", "setting", "condition"),
    (
        TEAM,
        SIMULATED,
        C("setting", "str", "uniform or varied errand costs; empty where the traces do not say"),
        CONDITION,
        C("games", "int", "games that ended"),
        C("meetings_scheduled", "float", "meetings that were coordinated in their round, a game"),
        C("coordination_rate_pct", "float", "share of the game's meetings that were", "%"),
        C("excess_cost", "float", "realised − optimal cost, a game", "cost"),
        C("dms_per_meeting", "float", "direct messages for each scheduled meeting, over games that have one"),
        C("fairness", "float", "least agent's cost / largest agent's; 1 when all are 0"),
        C("vps_uniform_mean", "float", "privacy loss with equal weights, over observed pairs and rounds", "VPS"),
        C("vps_cost_mean", "float", "the same with cost weights", "VPS"),
        C("vps_uniform_all_pairs_mean", "float", "with equal weights, over all ordered pairs", "VPS"),
        C("vps_cost_all_pairs_mean", "float", "with cost weights, over all ordered pairs", "VPS"),
        C("excess_over_greedy", "float", "realised cost − that of the greedy yardstick", "cost"),
        C("meetings_kept", "float", "scheduled meetings that stand in one common slot at the end"),
        C("realized_cost", "float", "cost of all moves", "cost"),
        C("games_stopped", "int", "games that were broken off, which no mean has"),
        C("vps_release_mean", "float", "privacy loss with equal weights as the public script counts it", "VPS"),
    ),
)

LEDGER = Table(
    "ledger",
    "one figure of the paper and what became of it",
    ("source", "setting", "method", "metric"),
    (
        C("source", "str", "where the paper prints it"),
        C("setting", "str", "uniform, varied or pooled, with condition and difficulty where it is of one"),
        C("method", "str", "whose figure it is: a protocol, a model, all models, or the set-up"),
        C("metric", "str", "what it measures"),
        C("published", "str", "the figure as printed"),
        C("ours", "str", "ours at its precision; of a stand-in, what simulated teams show"),
        C("verdict", "str", "what became of it (above)"),
        C("by_construction", "bool", "of a stand-in: whether the teams' own parameters bring the direction about"),
        C("computed_by", "str", "the query, module or notebook that computes ours, or would"),
        C("note", "str", "the comparison that stands in, or why no game tells"),
        C("test", "str", "how the two were compared"),
        STATISTIC,
        LOW,
        HIGH,
        P_VALUE,
        P_HOLM,
        C("n", "int", "how many were compared"),
    ),
)

STATEMENTS = Table(
    "statements",
    "one statement of the paper and what its test gave",
    ("id",),
    (
        C("id", "str", "its entry in data/paper/statements.yaml"),
        C("where", "str", "where the paper says it"),
        C("says", "str", "what it says"),
        C("evidence", "str", "exact games, by construction, printed figures or simulated teams"),
        C("verdict", "str", "what the test gave (above)"),
        C("found", "str", "what the evidence shows"),
        C("test", "str", "how it was tested"),
        STATISTIC,
        LOW,
        HIGH,
        P_VALUE,
        P_HOLM,
        C("exact", "bool", "whether nothing was drawn at random"),
        C("n", "int", "how many of `unit` were compared"),
        C("unit", "str", "what was compared"),
        C("computed_by", "str", "where the test is"),
        C("reading", "str", "how the statement is read"),
    ),
)

PAPER_RESULTS = (TABLE1, LEDGER, STATEMENTS)
