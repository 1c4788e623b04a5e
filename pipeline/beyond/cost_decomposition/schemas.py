"""The tables of the cost decomposition: what replays of a game cost, and its excess cost step by step."""

from pipeline.tables.schemas.results import GAMES, HIGH, LOW, SETTING, TASKS
from pipeline.tables.schemas.table import CONDITION, GAME_ID, SIMULATED, TEAM, C, Table

STEP = C("step", "str", "future, landing, information or execution")
PLACE = C("place", "int", "its place in the main order, from 1")

LADDER_RUNGS = Table(
    "ladder_rungs",
    "one game, and what replays of it cost",
    ("game_id",),
    (
        GAME_ID,
        TEAM,
        SIMULATED,
        SETTING,
        CONDITION,
        C("task_id", "str", "the task"),
        C("difficulty", "str", "easy, medium or hard"),
        C("optimal", "int", "the oracle's schedule", "cost"),
        C("clairvoyant_first", "int", "the best slots when errands land on their owner's first free slot", "cost"),
        C("myopic_lucky", "int", "each meeting in a slot that is cheapest then; ties and landings the best", "cost"),
        C("myopic_best", "int", "each meeting in the lowest slot that is cheapest then; landings the best", "cost"),
        C("myopic_first", "int", "the same; errands land on their owner's first free slot", "cost"),
        C("team_best", "int", "the team's slots, failed meetings last in the cheapest; landings the best", "cost"),
        C("team_first", "int", "the same; errands land on their owner's first free slot", "cost"),
        C("team_own", "int", "the same; errands land where the game shows it, else on the first free slot", "cost"),
        C("team_held", "int", "the same without the failed meetings", "cost"),
        C("realized", "int", "what was paid", "cost"),
        C("failed", "int", "meetings that were not coordinated in their round"),
        C("unplaced", "int", "meetings that found no possible slot in a replay, over all replays"),
    ),
)

LADDER_STEPS = Table(
    "ladder_steps",
    "one game and step of the ladder",
    ("game_id", "step"),
    (
        GAME_ID,
        STEP,
        PLACE,
        C("cost", "int", "what the step adds, in the order future, landing, information, execution", "cost"),
        C("landing_first", "int", "the same in the order landing, future, information, execution", "cost"),
        C("landing_last", "int", "the same in the order future, information, landing, execution", "cost"),
        C("average", "float", "their mean: Faigle and Kern's value", "cost"),
    ),
)

LADDER_MEANS = Table(
    "ladder_means",
    "one team, setting, condition, difficulty and step",
    ("team", "setting", "condition", "difficulty", "step"),
    (
        TEAM,
        SIMULATED,
        SETTING,
        CONDITION,
        C("difficulty", "str", "easy, medium, hard, or all"),
        STEP,
        PLACE,
        C("mean", "float", "mean of ladder_steps.cost over games", "cost"),
        LOW,
        HIGH,
        C("landing_first", "float", "mean of ladder_steps.landing_first", "cost"),
        C("landing_last", "float", "mean of ladder_steps.landing_last", "cost"),
        C("average", "float", "mean of ladder_steps.average", "cost"),
        GAMES,
        TASKS,
    ),
)

LADDER_TABLES = {table.name: table for table in (LADDER_RUNGS, LADDER_STEPS, LADDER_MEANS)}
