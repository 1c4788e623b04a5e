"""The tables of the power analysis, declared: variance components, powers, prices, and sub-suites."""

from pipeline.tables.schemas.results import SETTING
from pipeline.tables.schemas.table import C, Table

MEASURE = C("measure", "str", "excess_cost, vps (equal weights, observed pairs) or dms_per_meeting")
MEASURES = C("measure", "str", "excess_cost, vps, dms_per_meeting, or all: the three together")
GROUP = C("teams", "str", "protocols, or styles, which are simulated")

ENOUGH_COMPONENTS = Table(
    "enough_components",
    "one group of teams, setting and measure: the variance components of its standard games",
    ("setting", "measure", "teams"),
    (
        SETTING,
        MEASURE,
        GROUP,
        C("number", "int", "teams of the group"),
        C("tasks", "int", "tasks that all have played"),
        C("repeats", "int", "games of a task by each team"),
        C("var_team", "float", "variance of teams' means"),
        C("var_task", "float", "variance of tasks' means: pairing takes it out"),
        C("var_interaction", "float", "variance of what a team makes of a task, beyond both"),
        C("var_repeat", "float", "variance of a team's games of one task; 0 for protocols, which play it alike"),
    ),
)

ENOUGH_POWER = Table(
    "enough_power",
    "one group, setting, measure, difference and number of repeats",
    ("setting", "measure", "teams", "difference", "repeats"),
    (
        SETTING,
        MEASURE,
        GROUP,
        C("difference", "float", "the difference of two teams' means that is to be found"),
        C("repeats", "int", "games of each task by each team"),
        C("tasks", "int", "tasks that a paired t test needs; empty beyond enough.most_tasks"),
        C("least_tasks", "int", "of the group's pairs, each with its own variances, the one that needs fewest"),
        C("most_tasks", "int", "the one that needs most; empty beyond enough.most_tasks"),
        C("games", "int", "games of both teams together"),
        C("simulated_power", "float", "power of as many tasks drawn from our games, mean over the group's pairs"),
        C("least_simulated_power", "float", "the least of the pairs"),
        C("input_tokens", "float", "estimated tokens in of those games, were a model to play them", "tokens"),
        C("output_tokens", "float", "estimated tokens out", "tokens"),
        C("usd_least", "float", "their price at the cheapest listed model", "US dollars"),
        C("usd_most", "float", "their price at the dearest", "US dollars"),
    ),
)

ENOUGH_PAIRS = Table(
    "enough_pairs",
    "one pair of teams, setting and measure",
    ("setting", "measure", "a", "b"),
    (
        SETTING,
        MEASURE,
        C("a", "str", "one team"),
        C("b", "str", "the other"),
        C("difference", "float", "mean of a − b over tasks and games"),
        C("var_interaction", "float", "variance of the difference over tasks, with any number of repeats"),
        C("var_repeat", "float", "what one game of each adds to it"),
        C("tasks", "int", "tasks that find that difference with one game each; empty where there is none or too many"),
        C("tasks_with_repeats", "int", "the same with enough.pair_repeats games each"),
        C("detectable", "float", "the difference that the suite's tasks find with that power, one game each"),
        C("p", "float", "that the difference is 0: paired t test over tasks, all games"),
        C("simulated_power", "float", "power of `tasks` tasks drawn from our games; 80 % by the formula"),
    ),
)

ENOUGH_MONEY = Table(
    "enough_money",
    "one model with a known price: what a game of it takes, by estimate",
    ("model",),
    (
        C("model", "str", "the model, with its provider"),
        C("input_tokens", "float", "tokens in, a game", "tokens"),
        C("output_tokens", "float", "tokens out, a game", "tokens"),
        C("usd", "float", "the price of a game", "US dollars"),
        C("dated", "str", "where the price is from"),
        C("estimated", "str", "how the tokens were estimated"),
    ),
)

ENOUGH_SUBSUITE = Table(
    "enough_subsuite",
    "one setting and measure: the smallest sub-suite that keeps the ranking of all teams",
    ("setting", "measure"),
    (
        SETTING,
        MEASURES,
        C("size", "int", "its tasks, proven least"),
        C("tasks", "list[str]", "their names; of several smallest sub-suites the one with the earliest tasks"),
        C("same", "float", "share of pairs that it orders rightly in the games it was chosen from: 1"),
        C("new_chosen", "float", "the share in new games, against the order of all tasks and games; empty without"),
        C("new_random", "float", "the same of random sub-suites of its size, on average"),
        C("new_whole", "float", "the same of the whole suite"),
        C("left_out_chosen", "float", "the share of pairs with a team that the choice did not see, mean over teams"),
        C("left_out_random", "float", "the same of random sub-suites as large as those choices"),
    ),
)

ENOUGH_CURVE = Table(
    "enough_curve",
    "one setting, measure and size of random sub-suites",
    ("setting", "measure", "size"),
    (
        SETTING,
        MEASURES,
        C("size", "int", "tasks of a sub-suite"),
        C("mean", "float", "mean share of pairs of teams ordered as by the whole suite"),
        C("low", "float", "the share that 95 % of sub-suites reach"),
        C("exact", "float", "share of sub-suites that keep the ranking of all teams"),
    ),
)

ENOUGH_TABLES = {
    t.name: t for t in (ENOUGH_COMPONENTS, ENOUGH_POWER, ENOUGH_PAIRS, ENOUGH_MONEY, ENOUGH_SUBSUITE, ENOUGH_CURVE)
}
