"""The tables of strategy, declared: games with liars, what lies change, which one pays at what price, and probers."""

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
        C("measure", "str", "gain, harm, …: pipeline/beyond/strategy/outcomes.py"),
        *ENDS,
        *COUNTS,
    ),
)

REPORTED = "on the suite that is reported; empty where it was not played there"
RESPONSES = Table(
    "strategy_responses",
    "one lie of the search: what it gains on the suite of choice, at which prices it is the best there, and what it "
    "gains on the suite that is reported",
    ("protocol", "setting", "lie"),
    (
        PROTOCOL,
        SETTING,
        C("lie", "str", "what is claimed, and after a dash what is done after the talk; the truth claims nothing"),
        C("search_gain", "float", "its mean gain on the suite of choice, failures free; empty of the truth", "cost"),
        C("search_missed", "float", "meetings of the liar that fail more there, mean"),
        C("best_from", "float", "the least price of a failed meeting at which it is the best there", "cost"),
        C("best_to", "float", "the price from which another is; empty where none is", "cost"),
        *(
            C(f"{prefix}{name}", "float", f"{text} {meaning}, {REPORTED}", unit)
            for name, meaning, unit in (
                ("gain", "gain, failures free", "cost"),
                ("missed", "meetings of the liar that fail more", ""),
                ("saved", "share of what the liar pays when truthful that it saves", ""),
                ("harm", "cost that all others pay more", "cost"),
                ("break_even", "gain by meeting missed, the price that takes it away; empty without any", "cost"),
            )
            for prefix, text in (("", "mean"), ("low_", "lower end of the 95 % interval of"), ("high_", "its end:"))
        ),
    ),
)

PRICES = Table(
    "strategy_prices",
    "one price of a failed meeting: the lie that is best at it on the suite of choice, and its gain on the other",
    ("protocol", "setting", "price"),
    (
        PROTOCOL,
        SETTING,
        C("price", "float", "what a failed meeting costs each participant", "cost"),
        C("lie", "str", "the best lie on the suite of choice, or the truth"),
        C("gain", "float", "its mean gain at that price on the suite that is reported", "cost"),
        C("low", "float", "its 95 % interval", "cost"),
        C("high", "float", "its end", "cost"),
        C("p", "float", "that the gain is 0: sign-flip test over tasks"),
        C("saved", "float", "the gain as a share of what the liar pays when truthful"),
        C("saved_low", "float", "its 95 % interval"),
        C("saved_high", "float", "its end"),
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

STRATEGY_TABLES = {table.name: table for table in (OUTCOMES, EFFECTS, RESPONSES, PRICES, PROBERS)}
