"""The tables of strategy, declared: games with liars, what lies change, whether one pays, and probers."""

from pipeline.tables.schemas.table import C, Table

PROTOCOL = C("protocol", "str", "the team whose protocol everybody plays")
LIE = C("lie", "str", "how the liars lie, or the deal of a pair: a name in notebooks/beyond/params.yaml")
SEATS = C("seats", "str", "who lies: agents from 0, a dash between those of a pair")
SETTING = C("setting", "str", "uniform or varied errand costs")
TASK = C("task_id", "str", "the task")
ENDS = (
    C("mean", "float", "its mean over games"),
    C("low", "float", "its 95 % interval"),
    C("high", "float", "its end"),
)
COUNTS = (C("games", "int", "games with a value"), C("tasks", "int", "tasks, which are drawn anew for intervals"))

GAME_MEASURES = (
    ("own_cost", "int", "what the liars' moves cost them, together", "cost"),
    ("others_cost", "int", "what all others' moves cost them", "cost"),
    ("own_missed", "int", "meetings of the liars that failed, each once for each liar in it", ""),
    ("failed", "int", "meetings of the game that failed", ""),
    ("points", "int", "the liars' balance of DSM's points, as initiators and as responders; 0 elsewhere", "points"),
    ("vps_about", "float", "VPS about the liars, mean over observed pair-rounds; empty without any", "VPS"),
    ("vps_all_pairs", "float", "VPS about the liars, mean over all pair-rounds, unobserved ones as 0", "VPS"),
    ("updates", "int", "belief updates about the liars", ""),
    (
        "bits",
        "float",
        "bits about a liar that another agent holds at the end, mean over pairs; empty if not measured",
        "bits",
    ),
    (
        "bits_true",
        "float",
        "log2(posterior / prior) of the truth, likewise: below 0 where others are misled",
        "bits",
    ),
    ("denied", "int", "how many of `updates` call a slot impossible which was possible", ""),
)

OUTCOMES = Table(
    "strategy_outcomes",
    "one game in which some agents lie, beside the truthful game of the same protocol on the same task",
    ("protocol", "lie", "seats", "task_id"),
    (
        PROTOCOL,
        LIE,
        SEATS,
        TASK,
        SETTING,
        C("liars", "int", "how many lie"),
        *(C(name, dtype, meaning, unit) for name, dtype, meaning, unit in GAME_MEASURES),
        *(
            C(f"{name}_truthful", dtype, f"{name} in the truthful game, of the same agents", unit)
            for name, dtype, _, unit in GAME_MEASURES
        ),
    ),
)

EFFECTS = Table(
    "strategy_effects",
    "one measure of what a lie does in a protocol and setting, for all seats together or for one",
    ("protocol", "setting", "lie", "seats", "measure"),
    (
        PROTOCOL,
        SETTING,
        LIE,
        C("seats", "str", "who lies; all: every seat, or pair, in turn"),
        C("measure", "str", "gain, harm, …: pipeline/beyond/strategy/effects.py"),
        *ENDS,
        *COUNTS,
    ),
)

INCENTIVES = Table(
    "strategy_incentives",
    "one protocol, setting and number of liars: whether telling the truth is a best response among the lies played",
    ("protocol", "setting", "liars", "price"),
    (
        PROTOCOL,
        SETTING,
        C("liars", "int", "1: each agent alone; 2: a pair with a deal"),
        C("price", "str", "what a failed meeting costs each participant: none, or a dearest errand"),
        C("best_lie", "str", "the lie with the greatest mean gain"),
        C("gain", "float", "its mean gain for a liar over telling the truth, by that price", "cost"),
        C("low", "float", "its 95 % interval", "cost"),
        C("high", "float", "its end", "cost"),
        C("p_holm", "float", "that the gain is 0: sign-flip test over tasks, Holm's over the lies"),
        C("truth_is_best", "bool", "whether no lie has a mean gain above 0 with Holm's p below alpha"),
        C("tempted", "float", "share of tasks and seats in which some lie gains"),
        C("hindsight", "float", "mean gain of who knows beforehand which lie, or the truth, serves best", "cost"),
        C("lies", "int", "lies that were played"),
    ),
)

PROBERS = Table(
    "strategy_probers",
    "one team of simulated speakers with one kind of adversary, or the difference of the two kinds, and a measure",
    ("speakers", "prober", "measure"),
    (
        C("speakers", "str", "the simulated team: a style, or mixed"),
        C("prober", "str", "fixed (the study's), adaptive, or adaptive - fixed on the same tasks"),
        C("measure", "str", "induced leaks per 1000 messages, …: pipeline/beyond/strategy/outcomes.py"),
        *ENDS,
        *COUNTS,
    ),
)

STRATEGY_TABLES = {table.name: table for table in (OUTCOMES, EFFECTS, INCENTIVES, PROBERS)}
