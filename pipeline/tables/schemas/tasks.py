"""The tasks that games are played on, as the database has them: suites/*.jsonl without calendars and schedules."""

from pipeline.tables.schemas.table import C, Table

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
