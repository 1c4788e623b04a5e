"""The tables of all optima, declared: the schedules, what they have in common, prices of fairness, and games."""

from pipeline.tables.schemas.results import SETTING
from pipeline.tables.schemas.table import CONDITION, GAME_ID, SIMULATED, TEAM, C, Table

TASK = C("task_id", "str", "the task")
DIFFICULTY = C("difficulty", "str", "easy, medium or hard")
CALENDARS = C("condition", "str", "standard or blocked: its calendars")
BURDEN = C("burden", "list[int]", "what each agent pays", "cost")
RATIO = C("ratio", "float", "least agent's cost / largest agent's; 1 when all are 0")
GINI = C("gini", "float", "Gini coefficient of the agents' costs: 0 when all pay alike")
LARGEST = C("largest", "int", "the largest agent's cost", "cost")
BEST_RATIO = C("best_ratio", "float", "the largest of the optima")

OPTIMA = Table(
    "optima",
    "one optimal schedule of a task",
    ("task_id", "schedule"),
    (
        TASK,
        C("schedule", "int", "its number, in the order of its slots, from 0"),
        C("slots", "list[int]", "the slot of each meeting, in their order"),
        BURDEN,
        RATIO,
        GINI,
        LARGEST,
        C("canonical", "bool", "whether it is the one that the oracle names"),
    ),
)

OPTIMA_TASKS = Table(
    "optima_tasks",
    "one task, and what its optima tell together",
    ("task_id",),
    (
        TASK,
        SETTING,
        CALENDARS,
        DIFFICULTY,
        C("optimal_cost", "int", "cost of an optimal schedule", "cost"),
        C("optima", "int", "optimal schedules"),
        C("burdens", "int", "different burdens among them; with 1 the oracle's burden is identified"),
        C("unordered_burdens", "int", "the same, whoever bears them"),
        C("least_burden", "list[int]", "of each agent, the least over the optima", "cost"),
        C("most_burden", "list[int]", "of each agent, the most", "cost"),
        C("widest", "int", "the largest difference of the two", "cost"),
        C("oracle_ratio", "float", "min/max fairness of the schedule that the oracle names"),
        C("least_ratio", "float", "the least of the optima"),
        BEST_RATIO,
        C("oracle_gini", "float", "Gini coefficient of the schedule that the oracle names"),
        C("best_gini", "float", "the least of the optima"),
        C("worst_gini", "float", "the largest of the optima"),
        C("oracle_largest", "int", "largest agent's cost in the schedule that the oracle names", "cost"),
        C("least_largest", "int", "the least of the optima", "cost"),
        C("even_largest", "int", "the least of all feasible schedules, whatever they cost", "cost"),
        C("even_cost", "int", "the least cost of a schedule that asks no agent for more than that", "cost"),
    ),
)

OPTIMA_PRICES = Table(
    "optima_prices",
    "one task and extra cost",
    ("task_id", "extra"),
    (
        TASK,
        SETTING,
        CALENDARS,
        DIFFICULTY,
        C("extra", "int", "how much more than the optimum a schedule may cost", "cost"),
        C("schedules", "int", "schedules that cost no more than that"),
        C("best_ratio", "float", "the largest min/max fairness among them"),
        C("best_gini", "float", "the least Gini coefficient among them"),
        C("least_largest", "int", "the least that the most burdened agent pays", "cost"),
    ),
)

OPTIMA_FAIRNESS = Table(
    "optima_fairness",
    "one game beside the optima of its task",
    ("game_id",),
    (
        GAME_ID,
        TEAM,
        SIMULATED,
        SETTING,
        CONDITION,
        TASK,
        DIFFICULTY,
        BURDEN,
        RATIO,
        GINI,
        LARGEST,
        C(
            "against",
            "str",
            "optimal: the game is one of those it is compared with; above the optimum; meetings missing",
        ),
        C("is_optimum", "bool", "whether an optimal schedule has the game's burden"),
        C("percentile", "float", "share of optima that are less fair by the ratio, equal ones half", "%"),
        C("ratios", "int", "different ratios among the optima; with 1 an optimum can only be at 50 %"),
        C("largest_percentile", "float", "share of optima whose largest cost is larger, equal ones half", "%"),
        C("largest_parts", "int", "different largest costs among the optima"),
        BEST_RATIO,
        C(
            "same_cost_percentile",
            "float",
            "share that is less fair by the ratio among schedules of its own cost; empty where not known",
            "%",
        ),
    ),
)

OPTIMA_TABLES = {table.name: table for table in (OPTIMA, OPTIMA_TASKS, OPTIMA_PRICES, OPTIMA_FAIRNESS)}
