"""The tables of leakage in bits."""

from dataclasses import replace

from pipeline.tables.schemas.table import GAME_ID, ROUND, C, Column, Table

OBSERVER = C("observer_agent", "int", "the agent that was told")
TARGET = C("target_agent", "int", "the agent whose calendar it is about")

MEANINGS = {
    "bits": "realised information gain about the target's slots",
    "feasible_bits": "the same of feasibility alone",
    "bits_true": "log2(posterior / prior) of the true states: below 0 where the observer is misled",
    "feasible_bits_true": "the same of feasibility alone",
    "misled": "slots whose true state was said to be impossible",
}


def _measures(prefix: str, of: str) -> tuple[Column, ...]:
    units = {name: "slots" if name == "misled" else "bits" for name in MEANINGS}
    return tuple(C(f"{prefix}{n}", "float", f"{of}: {meaning}", units[n]) for n, meaning in MEANINGS.items())


LEAKED_BITS = Table(
    "leaked_bits",
    "one round, observer and target, where the observer was told something of the target's slots",
    ("game_id", "round", "observer_agent", "target_agent"),
    (
        GAME_ID,
        ROUND,
        OBSERVER,
        TARGET,
        C("statements", "int", "distinct statements of the round"),
        *_measures("", "the round alone"),
        *_measures("new_", "what the round adds to all before"),
        *_measures("total_", "all rounds so far"),
    ),
)

LEAKED_COALITIONS = Table(
    "leaked_coalitions",
    "one game, coalition of observers and target, where a member was told something of the target's slots",
    ("game_id", "coalition", "target_agent"),
    (
        GAME_ID,
        C("coalition", "str", "its members, joined by +"),
        TARGET,
        C("members", "int", "how many they are"),
        C("everybody", "bool", "whether they are all agents but the target"),
        C("statements", "int", "distinct statements that they were told in the game"),
        *_measures("", "what they know together at the end"),
        C("best_member_bits", "float", "bits of the member that knows most alone", "bits"),
        C("members_bits", "float", "sum of what each member knows alone", "bits"),
    ),
)

LEAKED_ROUNDS = Table(
    "leaked_rounds",
    "one round",
    ("game_id", "round"),
    (
        GAME_ID,
        ROUND,
        C("initiator", "int", "the participant with the lowest id, to whom slots are certified"),
        C(
            "certifiable",
            "bool",
            "whether the meeting got a common slot that was feasible for all when the round began",
        ),
        C(
            "necessary_bits",
            "float",
            "least facts of single slots that certify it as least-cost, or its true regret",
            "bits",
        ),
        C("necessary_feasible_bits", "float", "least facts that certify it as feasible", "bits"),
        C(
            "floor_bits",
            "float",
            "−log2 P(the slot is least-cost, or its true regret | the initiator's calendar)",
            "bits",
        ),
        C("regret", "float", "what the slot costs above the cheapest", "cost"),
        C("certified", "bool", "whether the round's messages make the initiator sure that the slot is least-cost"),
        C("certified_feasible", "bool", "whether they make it sure that the slot is feasible"),
        C("to_initiator_bits", "float", "told to the initiator about the other participants", "bits"),
        C("disclosed_bits", "float", "told in the round over all ordered pairs", "bits"),
        C("excess_bits", "float", "to_initiator_bits − necessary_bits", "bits"),
        C("excess_disclosed_bits", "float", "disclosed_bits − necessary_bits", "bits"),
    ),
)

LEAKED_GAMES = Table(
    "leaked_games",
    "one game",
    ("game_id",),
    (
        GAME_ID,
        C("team", "str", "who played"),
        C("simulated", "bool", "whether its speakers are simulated"),
        C("setting", "str", "uniform or varied errand costs"),
        C("condition", "str", "standard, blocked or adversarial"),
        C("task_id", "str", "the task"),
        C("bits", "float", "gain by the end of the game, mean over all ordered pairs", "bits"),
        C("feasible_bits", "float", "the same of feasibility alone", "bits"),
        C("bits_true", "float", "log2(posterior / prior) of the true states, mean over all ordered pairs", "bits"),
        C("feasible_bits_true", "float", "the same of feasibility alone", "bits"),
        C("bits_with_figures", "float", "bits, had costs that English names in figures been believed", "bits"),
        C("bits_true_with_figures", "float", "bits_true, had they been", "bits"),
        C("misled_slots", "float", "slots, over all pairs, whose true state was said to be impossible", "slots"),
        C("bits_per_round", "float", "gain of each round alone, mean over all ordered pairs and rounds", "bits"),
        C("feasible_bits_per_round", "float", "the same of feasibility alone", "bits"),
        C("bits_touched", "float", "gain of each round alone, mean over pairs and rounds with a statement", "bits"),
        C("feasible_bits_touched", "float", "the same of feasibility alone", "bits"),
        C("touched_pair_rounds", "int", "ordered pairs and rounds with a statement"),
        C("coalition_pair_bits", "float", "what two observers know together, mean over targets and pairs", "bits"),
        C("coalition_bits", "float", "what all other agents know together, mean over targets", "bits"),
        C("best_member_bits", "float", "what the best single observer knows, mean over targets", "bits"),
        C("members_bits", "float", "sum of what all other agents know one by one, mean over targets", "bits"),
        C("certifiable_rounds", "int", "rounds whose slot can be certified"),
        C("certified_rounds", "int", "rounds whose messages certify it as least-cost"),
        *(
            C(f"{name}_per_round", "float", f"{name} of leaked_rounds, mean over certifiable rounds", "bits")
            for name in (
                "to_initiator_bits", "disclosed_bits", "necessary_bits", "floor_bits", "excess_bits",
                "excess_disclosed_bits",
            )
        ),
        C("vps", "float", "VPS under uniform weights, mean over pairs and rounds with an update", "VPS"),
        C("vps_reversed", "float", "the same, had each round's messages come in the opposite order", "VPS"),
        C("vps_all_pairs", "float", "VPS under uniform weights, mean over all ordered pairs and rounds", "VPS"),
        C("vps_cost", "float", "VPS under cost weights, mean over pairs and rounds with an update", "VPS"),
        C("vps_cost_all_pairs", "float", "the same, mean over all ordered pairs and rounds", "VPS"),
    ),
)  # fmt: skip

TEAM = (
    C("team", "str", "who played"),
    C("setting", "str", "uniform or varied errand costs"),
    C("condition", "str", "standard, blocked or adversarial"),
)

LEAKED_TEAMS = Table(
    "leaked_teams",
    "one team, setting, condition and measure of leaked_games",
    ("condition", "setting", "team", "measure"),
    (
        *TEAM,
        C("measure", "str", "the column of leaked_games"),
        C("mean", "float", "mean over its games"),
        C("low", "float", "lower end of its 95 % interval, tasks drawn anew"),
        C("high", "float", "upper end"),
        C("games", "int", "games that have a value"),
        C("tasks", "int", "tasks that have one"),
    ),
)

LEAKED_ORDERS = Table(
    "leaked_orders",
    "one setting, condition, group of teams and two measures of leaked_games",
    ("condition", "setting", "group", "a", "b"),
    (
        *TEAM[1:],
        C("group", "str", "all teams, protocols or simulated speakers"),
        C("a", "str", "a measure"),
        C("b", "str", "another"),
        C("teams", "int", "teams that are ordered"),
        C("tau", "float", "Kendall's tau-b of the teams' means"),
        C("low", "float", "lower end of its 95 % interval, tasks drawn anew"),
        C("high", "float", "upper end"),
        C("reversed_pairs", "int", "pairs of teams that the two order differently"),
    ),
)

LEARNED_TEAMS = Table(
    "learned_teams",
    "one setting, team and measure, of standard games: what an attacker learns who has learnt from other tasks",
    ("setting", "team", "measure"),
    (
        C("setting", "str", "uniform or varied errand costs"),
        C("team", "str", "who played"),
        C("measure", "str", "bits_… or share_… of initiator, responder or everybody; excess_cost and other costs"),
        C("mean", "float", "bits of a view, or of all participants in a round; a share: of poll-spoken's bits"),
        C("low", "float", "lower end of its 95 % interval, tasks drawn anew"),
        C("high", "float", "upper end"),
        C("games", "int", "games that have a value"),
        C("tasks", "int", "tasks that have one"),
    ),
)

LEAKED_PRIORS = Table(
    "leaked_priors",
    "one team, setting, condition and prior",
    ("condition", "setting", "feasible", "filled", "team"),
    (
        *TEAM,
        C("feasible", "float", "P(feasible) of a slot beforehand"),
        C("filled", "float", "share of feasible slots with an errand"),
        C("bits", "float", "gain by the end of the game, mean over pairs and games", "bits"),
        C("tau", "float", "Kendall's tau-b of all teams' means with those under the stated prior"),
        C("tau_vps", "float", "Kendall's tau-b of all teams' means with their VPS (its own prior is 0.5 throughout)"),
    ),
)

LEAKAGE_TABLES = {
    table.name: table
    for table in (
        LEAKED_BITS, LEAKED_COALITIONS, LEAKED_ROUNDS, LEAKED_GAMES, LEAKED_TEAMS, LEAKED_ORDERS, LEAKED_PRIORS,
        LEARNED_TEAMS,
    )
}  # fmt: skip


def named(table: Table, name: str | None) -> Table:
    """The table, called after the folder that it was measured from where that has a name."""
    return replace(table, name=f"{table.name}_{name}") if name else table
