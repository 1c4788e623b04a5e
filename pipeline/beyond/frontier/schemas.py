"""The tables of the frontier, declared: points, who is on it, hypervolumes, domination, gaps to it, whole
views, another suite."""

from pipeline.tables.schemas.table import C, Table

TEAM = C("team", "str", "who played")
SETTING = C("setting", "str", "uniform or varied errand costs")
MEASURE = C("measure", "str", "the measure of leakage")
KIND = C("kind", "str", "protocol or simulated (speakers)")

POINTS = Table(
    "frontier_points",
    "one team, setting and measure: its mean over the suite's tasks",
    ("setting", "team", "measure"),
    (
        TEAM,
        SETTING,
        C("measure", "str", "excess_cost, a measure of leakage, dms_per_meeting or coordination_rate_pct"),
        KIND,
        C("protocol", "str", "the agents' type; the team itself where it has no parameter"),
        C("parameter", "str", "the setting of the protocol's parameters"),
        C("mean", "float", "mean over its games"),
        C("low", "float", "lower end of its 95 % interval, tasks drawn anew"),
        C("high", "float", "upper end"),
        C("games", "int", "games that have a value"),
        C("tasks", "int", "tasks that have one"),
    ),
)

PARETO = Table(
    "frontier_pareto",
    "one protocol, setting and measure of leakage",
    ("setting", "measure", "team"),
    (
        TEAM,
        SETTING,
        MEASURE,
        C("coordinates", "bool", "whether it schedules every meeting: only then its excess cost can be compared"),
        C("excess_cost", "float", "mean excess cost"),
        C("leakage", "float", "mean of the measure"),
        C("on_frontier", "bool", "whether no protocol that coordinates is at most equal in both and less in one"),
        C("frequency", "float", "share of the draws of tasks in which it is on the frontier"),
    ),
)

HYPERVOLUME = Table(
    "frontier_hypervolume",
    "one set of protocols, setting and measure of leakage",
    ("setting", "measure", "protocols"),
    (
        C("protocols", "str", "paper: those of the paper; all: with those beyond it; gain: all less paper"),
        SETTING,
        MEASURE,
        C("worst_excess", "float", "the reference point's excess cost"),
        C("worst_leakage", "float", "the reference point's leakage"),
        C("volume", "float", "share of the box from 0 to the reference point that they dominate, on log(1 + excess)"),
        C("low", "float", "lower end of its 95 % interval, tasks drawn anew"),
        C("high", "float", "upper end"),
    ),
)

DOMINATION = Table(
    "frontier_domination",
    "one protocol, setting and measure, beside the baseline on the same tasks",
    ("setting", "measure", "team"),
    (
        TEAM,
        SETTING,
        C("measure", "str", "excess_cost or a measure of leakage"),
        C("difference", "float", "mean over tasks of its value less the baseline's"),
        C("difference_low", "float", "lower end of its 95 % interval, tasks drawn anew"),
        C("difference_high", "float", "upper end"),
        C("largest_difference", "float", "largest distance from the baseline on a task"),
        C("share", "float", "its mean over the baseline's"),
        C("share_low", "float", "lower end of its 95 % interval, tasks drawn anew"),
        C("share_high", "float", "upper end"),
        C("holds", "bool", "excess: difference at most 0; leakage: share below the fair share"),
        C("holds_surely", "bool", "the same of the interval's upper end"),
    ),
)

PLACED = Table(
    "frontier_placed",
    "one simulated team, setting and measure: where it lies relative to the frontier",
    ("setting", "team", "measure"),
    (
        TEAM,
        SETTING,
        KIND,
        C("coordination_rate_pct", "float", "meetings that it schedules", "%"),
        C("excess_cost", "float", "its mean excess cost"),
        C(
            "measure",
            "str",
            "vps_uniform_mean, vps_uniform_all_pairs_mean, bits, or view_bits: per meeting, of protocols the whole "
            "view, of speakers what they say",
        ),
        C("leakage", "float", "its mean of the measure"),
        C(
            "dominated_by",
            "list[str]",
            "protocols without secrets that coordinate every meeting, at most equal in both, less in one",
        ),
        C(
            "dominated_with_outsider",
            "list[str]",
            "the same of secure sums and secret shares, which need that nobody colludes",
        ),
        C(
            "least_leakage",
            "float",
            "the least of such a protocol with at most its excess cost; null where none has so little",
        ),
        C("least_excess", "float", "least excess cost of one with at most its leakage; null where none has so little"),
        C("factor", "float", "its leakage over least_leakage: how many times more it gives away"),
    ),
)

TOLD = Table(
    "frontier_told",
    "one suite, setting, prior, team, role of the observers and measure: what whole views tell",
    ("suite", "setting", "prior", "team", "role", "measure"),
    (
        C(
            "suite",
            "str",
            "published: the paper's 72 tasks, on which protocols were chosen; three densities: ours",
        ),
        SETTING,
        C(
            "prior",
            "str",
            "stated (feasible 0.5); or other tasks: of each task the shares of states in all others",
        ),
        TEAM,
        C(
            "role",
            "str",
            "initiator, responder, outsider (who is told something), two participants together; everybody: one by "
            "one, summed",
        ),
        C(
            "measure",
            "str",
            "bits: the whole view's, a round; literal_bits: of what is said, slot by slot; floor_bits: the least of a "
            "truthful proof; times_floor: bits over floor_bits, of rounds with both; share: bits over the baseline's",
        ),
        C("mean", "float", "its mean over rounds, or ratio of sums"),
        C("low", "float", "lower end of its 95 % interval, tasks drawn anew"),
        C("high", "float", "upper end"),
        C("games", "int", "tasks' games that have a value"),
        C("tasks", "int", "tasks that have one"),
    ),
)

HELD_OUT = Table(
    "frontier_held_out",
    "one team, setting and measure on the suite of three densities, on which nothing was chosen",
    ("setting", "team", "measure"),
    (
        TEAM,
        SETTING,
        C("measure", "str", "excess_cost, vps_uniform_mean, vps_uniform_all_pairs_mean, bits or dms_per_meeting"),
        C("mean", "float", "mean over its games"),
        C("low", "float", "lower end of its 95 % interval, tasks drawn anew"),
        C("high", "float", "upper end"),
        C("games", "int", "games that have a value"),
        C("tasks", "int", "tasks that have one"),
        C("below_dsm", "int", "tasks on which it is below that of DSM-Welfare, by any difference"),
        C("above_dsm", "int", "tasks on which it is above that"),
    ),
)

FRONTIER_TABLES = {table.name: table for table in (POINTS, PARETO, HYPERVOLUME, DOMINATION, PLACED, TOLD, HELD_OUT)}
