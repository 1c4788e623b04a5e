"""The result tables that statistics make: how sure a figure is, who differs from whom, and what choices change."""

from pipeline.tables.schemas.query_results import QUERY_RESULTS
from pipeline.tables.schemas.speech import TRUTH
from pipeline.tables.schemas.table import CONDITION, SIMULATED, TEAM, C, Column, Table

SETTING = C("setting", "str", "uniform or varied errand costs")
LOW = C("low", "float", "lower end of the mean's interval; empty for fewer than six tasks")
HIGH = C("high", "float", "its upper end")
GAMES = C("games", "int", "games that count")
TASKS = C("tasks", "int", "their tasks, which are what is drawn anew")
METRIC = C("metric", "str", "a column of Table 1")
TEAMS = C(
    "teams",
    "str",
    "the group of teams: protocols, styles, other simulated ones, others, or the paper's models as printed",
)
PREDICTOR = C("predictor", "str", "excess cost raw, as its log (games above 0 only), or as its rank")
THIRDS = ("easy", "medium", "hard")
POOLED = C("setting", "str", "uniform, varied, or pooled: both together")

COMPARE = Table(
    "compare",
    "one baseline figure of the paper beside ours",
    ("method", "setting", "metric"),
    (
        C("source", "str", "where the paper prints it"),
        C("setting", "str", "uniform or varied errand costs"),
        C("method", "str", "the protocol, as the paper calls it"),
        TEAM,
        METRIC,
        C("published", "str", "the figure as printed"),
        C("ours", "str", "ours at its precision"),
        C("ours_exact", "float", "ours as it is"),
        C("equal", "bool", "whether the two are; empty without games of all the paper's tasks"),
    ),
)

AUDIT_COUNTS = Table(
    "audit",
    "one team, condition and code of what the auditor found",
    ("team", "condition", "code", "severity"),
    (
        TEAM,
        CONDITION,
        C("audited", "int", "traces that were audited"),
        C("code", "str", "what does not fit (docs/audit.md); none where nothing was found"),
        C("severity", "str", "error, known or note; empty where nothing was found"),
        C("traces", "int", "traces that have it"),
        C("divergences", "int", "how often they have it"),
    ),
)

DIFFICULTY = Table(
    "difficulty",
    "one condition, setting, density and difficulty of the paper's tasks",
    ("condition", "setting", "density", "difficulty"),
    (
        CONDITION,
        SETTING,
        C("density", "float", "the task's parameter: errands for this share of slots"),
        C("difficulty", "str", "easy, medium or hard, by the task list"),
        C("tasks", "int", "its tasks"),
        C("errands", "int", "an agent's at first"),
        C("optimal_cost", "float", "mean cost of the oracle's schedules", "cost"),
        C("feasible_pct", "float", "mean share of assignments without a clash that no calendar rules out", "%"),
        *(C(f"own_{third}", "int", f"tasks in the {third} third by their own optimum") for third in THIRDS),
    ),
)

KNOWN_TRUTH = Table(
    "known_truth",
    "one finder, part and kind of phrasing: precision and recall against known truth",
    ("finder", "part", "held_out"),
    (
        *TRUTH.columns[1:4],
        C("templates", "int", "the templates that its messages are written from"),
        *TRUTH.columns[5:],
        *(
            C(f"{measure}{end}", "float", f"{meaning}{of}")
            for measure, meaning in (
                ("precision", "hits / (hits + false_alarms)"),
                ("recall", "hits / (hits + misses)"),
            )
            for end, of in (("", ""), ("_low", ": lower end of its interval"), ("_high", ": its upper end"))
        ),
    ),
)

# Of a test, where there is one.
TEST = (
    C("statistic", "float", "the statistic of `test`; empty where there is none"),
    C("low", "float", "lower end of its 95 % interval"),
    C("high", "float", "its upper end"),
    C("p_value", "float", "the test's p"),
    C("p_holm", "float", "the same by Holm's correction over all tests of the table"),
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
        *TEST,
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
        *TEST,
        C("exact", "bool", "whether nothing was drawn at random"),
        C("n", "int", "how many of `unit` were compared"),
        C("unit", "str", "what was compared"),
        C("computed_by", "str", "where the test is"),
        C("reading", "str", "how the statement is read"),
    ),
)

INTERVALS = Table(
    "intervals",
    "one mean of one row of a result table",
    ("table", "team", "setting", "condition", "part", "measure"),
    (
        C("table", "str", "the result table, results/{table}.csv"),
        TEAM,
        C("setting", "str", "its setting; empty where the table has both together"),
        CONDITION,
        C("part", "str", "the rest of the row's key, joined by ' / '; empty where there is none"),
        C("measure", "str", "the column"),
        SIMULATED,
        C("mean", "float", "the table's figure: a mean over games, or a ratio of sums over games"),
        LOW,
        HIGH,
        GAMES,
        TASKS,
    ),
)

COMPARISONS = Table(
    "comparisons",
    "one pair of teams, metric, setting and condition",
    ("setting", "condition", "metric", "a", "b"),
    (
        SETTING,
        CONDITION,
        METRIC,
        C("a", "str", "one team"),
        C("b", "str", "the other"),
        C("a_simulated", "bool", "whether the speakers of a are simulated"),
        C("b_simulated", "bool", "whether those of b are"),
        C("pairs", "int", "tasks that both have"),
        C("difference", "float", "mean over those tasks of a's value − b's; empty without any"),
        C("low", "float", "lower end of its interval; empty for fewer than six tasks"),
        C("high", "float", "its upper end"),
        C("p_value", "float", "two-sided, by flipping signs of differences; 1 without a common task"),
        C("p_holm", "float", "Holm's p over all pairs of the metric, setting and condition"),
        C("exact", "bool", "whether all sign patterns were tried"),
    ),
)

RANKS = Table(
    "ranks",
    "one team, metric, setting and condition",
    ("setting", "condition", "metric", "team"),
    (
        SETTING,
        CONDITION,
        METRIC,
        C("better", "str", "higher or lower: which way is better"),
        TEAM,
        SIMULATED,
        C("mean", "float", "mean over its tasks; a task's games count as their mean"),
        TASKS,
        C("rank", "int", "by the means over the tasks that each two share, 1 the best; equal means share the least"),
        C("rank_low", "int", "1 + the teams significantly better"),
        C("rank_high", "int", "teams − those significantly worse"),
        C("teams", "int", "teams that played some of its tasks, itself among them"),
    ),
)

MIXED_EFFECTS = Table(
    "mixed_effects",
    "one fit of uniform VPS on excess cost: a group of teams, setting and predictor",
    ("teams", "setting", "predictor"),
    (
        TEAMS,
        C("simulated", "bool", "whether some speakers are simulated: an association of styles is by construction"),
        POOLED,
        PREDICTOR,
        C("games", "int", "games fitted, those of a team and task by their mean; empty for the paper's models"),
        C("left_out", "int", "games that the predictor leaves out"),
        C("n_teams", "int", "teams"),
        C("n_tasks", "int", "tasks"),
        C("beta", "float", "slope per sample standard deviation of the predictor", "VPS"),
        C("se", "float", "its standard error", "VPS"),
        C("t", "float", "beta / se"),
        C("p_one_sided", "float", "Wald, against a slope below 0, as in the paper"),
        C("df", "float", "Satterthwaite's degrees of freedom"),
        C("low", "float", "lower end of the slope's 95 % interval, from Student's t", "VPS"),
        C("high", "float", "its upper end", "VPS"),
        C("equivalence_bound", "float", "the slope is nearer to 0 than this, by two one-sided tests at 5 %", "VPS"),
        C("p_one_sided_t", "float", "the same from Student's t"),
        C("p_permutation", "float", "the same by relabelling whole teams; empty where not all have the same tasks"),
        C("p_bootstrap", "float", "there, the same by drawing outcomes without the predictor"),
        C("draws", "int", "relabellings or outcomes, the observed one included"),
        C("var_team", "float", "variance of the teams' intercepts", "VPS²"),
        C("var_task", "float", "variance of the tasks' intercepts", "VPS²"),
        C("var_residual", "float", "variance within", "VPS²"),
        C("loglik", "float", "restricted log-likelihood"),
        C("singular", "bool", "whether a variance is 0"),
        C("sd", "float", "the predictor's sample standard deviation: beta / sd is the slope per unit"),
        C(
            "between_correlation",
            "float",
            "Pearson's correlation of the teams' means over the tasks that all have; of the paper's models, as printed",
        ),
        C("between_p", "float", "its one-sided p over all relabellings of the teams"),
        C("note", "str", "why there is no fit"),
    ),
)

MIXED_EFFECTS_SLOPES = Table(
    "mixed_effects_slopes",
    "one team's own line: a group of teams, setting, predictor and team",
    ("teams", "setting", "predictor", "team"),
    (
        TEAMS,
        SIMULATED,
        POOLED,
        PREDICTOR,
        TEAM,
        C("n", "int", "its tasks, each by the mean of its games"),
        C("slope", "float", "least squares, per standard deviation of the predictor over the group's tasks", "VPS"),
        C("se", "float", "its standard error", "VPS"),
        C("low", "float", "lower end of Student's 95 % interval", "VPS"),
        C("high", "float", "its upper end", "VPS"),
        C("p_one_sided", "float", "against a slope below 0"),
    ),
)

POINT = (
    C("rules", "str", "rule set of typed messages: paper or release"),
    C("prior", "float", "the prior belief"),
    C("epsilon", "float", "anti-certainty margin of English claims"),
    C("weight_mode", "str", "uniform or cost"),
    C("pairs", "str", "observed: a game's mean over observed pair-rounds; all: over all ordered pairs"),
)
CHANGED = C("changed", "str", "what differs from the study's choice, joined by +; empty at the choice itself")
KEY = ("setting", *(column.name for column in POINT))


def _at_points(name: str, row: str, key: tuple[str, ...], columns: tuple[Column, ...]) -> Table:
    """A table with a row for each setting, point of the grid, and what else the key names."""
    return Table(name, row, (*KEY, *key), (SETTING, *POINT, CHANGED, *columns))


ROBUSTNESS = _at_points(
    "robustness",
    "one setting, point of the grid and team",
    ("team",),
    (
        TEAM,
        SIMULATED,
        C("games", "int", "games with a VPS"),
        C("vps", "float", "mean over them, to 8 decimals", "VPS"),
        C("low", "float", "lower end of its interval; empty for fewer than six tasks", "VPS"),
        C("high", "float", "its upper end", "VPS"),
        C("rank", "int", "1 + the teams with less privacy loss on the tasks that each two share; equal means share it"),
    ),
)

ROBUSTNESS_RANKS = _at_points(
    "robustness_ranks",
    "one setting, point of the grid and group of teams",
    ("group",),
    (
        C("group", "str", "all, protocols, styles, other simulated teams, or others"),
        C("teams", "int", "teams of the group that have a VPS here and at the study's choice"),
        C("kendall", "float", "Kendall's τ-b of their order with that at the study's choice"),
        C("spearman", "float", "Spearman's ρ"),
        C("pairs_compared", "int", "pairs of these teams"),
        C("flips", "int", "pairs whose order is the reverse"),
    ),
)

ROBUSTNESS_FLIPS = _at_points(
    "robustness_flips",
    "one setting, point of the grid and pair of teams whose order is the reverse of that at the study's choice",
    ("a", "b"),
    (
        C("a", "str", "one team"),
        C("b", "str", "the other"),
        C("a_simulated", "bool", "whether the speakers of a are simulated"),
        C("b_simulated", "bool", "whether those of b are"),
        C("difference_at_choice", "float", "a's mean − b's on the tasks of both, at the study's choice", "VPS"),
        C("difference", "float", "the same at this point", "VPS"),
        C("p_at_choice", "float", "of the paired permutation test at the study's choice; not corrected"),
        C("p_value", "float", "the same at this point; not corrected"),
        C(
            "p_holm",
            "float",
            "of both orders (the larger p), with Holm's correction over all pairs that have both orders",
        ),
    ),
)

ENGLISH = C("english", "str", "how English is read: full, literal or release")

ENGLISH_RULES = Table(
    "english_rules",
    "one setting, reading of English and team",
    ("setting", "english", "team"),
    (SETTING, ENGLISH, *ROBUSTNESS.columns[-7:], C("ratio", "float", "its VPS over that under the study's reading")),
)

ENGLISH_RULES_RANKS = Table(
    "english_rules_ranks",
    "one setting, reading of English and group of teams",
    ("setting", "english", "group"),
    (SETTING, ENGLISH, *ROBUSTNESS_RANKS.columns[-6:]),
)

ENGLISH_RULES_FLIPS = Table(
    "english_rules_flips",
    "one setting, reading of English and pair of teams whose order is the reverse of that under the study's reading",
    ("setting", "english", "a", "b"),
    (SETTING, ENGLISH, *ROBUSTNESS_FLIPS.columns[-9:]),
)

EXCESS = Table(
    "excess",
    "one team, setting, condition and notion of excess cost",
    ("setting", "condition", "measure", "penalty", "team", "simulated"),
    (
        SETTING,
        CONDITION,
        C("measure", "str", "excess (the paper's), excess_scheduled, excess_penalised or failed_meetings"),
        C("penalty", "float", "λ of excess_penalised = excess + λ · failed meetings; empty for the others", "cost"),
        TEAM,
        SIMULATED,
        C("mean", "float", "mean over games that ended", "cost"),
        LOW,
        HIGH,
        GAMES,
        TASKS,
        C("rank", "int", "1 + the teams with less on the tasks that each two share; equal means share the least"),
    ),
)

RESULT_TABLES = {
    table.name: table
    for table in (
        *QUERY_RESULTS,
        COMPARE,
        AUDIT_COUNTS,
        DIFFICULTY,
        KNOWN_TRUTH,
        LEDGER,
        STATEMENTS,
        INTERVALS,
        COMPARISONS,
        RANKS,
        MIXED_EFFECTS,
        MIXED_EFFECTS_SLOPES,
        ROBUSTNESS,
        ROBUSTNESS_RANKS,
        ROBUSTNESS_FLIPS,
        ENGLISH_RULES,
        ENGLISH_RULES_RANKS,
        ENGLISH_RULES_FLIPS,
        EXCESS,
    )
}
