"""The tables of privacy loss: what was learnt of whom, message by message, and what it comes to (Appendix H)."""

from pipeline.tables.schemas.table import (
    EVENT_INDEX,
    GAME_ID,
    OBSERVER,
    ROUND,
    TARGET,
    TRACE_PATH,
    WEIGHT_MODE,
    C,
    Table,
)

BELIEF_EVIDENCE = Table(
    "belief_evidence",
    "one belief update (or a claim about a slot that no calendar has); all beliefs begin each round at the prior",
    ("game_id", "event_index", "update_index"),
    (
        TRACE_PATH,
        GAME_ID,
        EVENT_INDEX,
        ROUND,
        TARGET,
        OBSERVER,
        C("slot", "int", "the slot; empty when the message names none that can be known"),
        C("source", "str", "protocol and kind of the message, or the language rule"),
        C("evidence", "float", "e in [0, 1]: 1 feasible, 0 not"),
        C("strength", "float", "s in [0, 1] of b ← (1 − s)·b + s·e"),
        C("matched_clause", "str", "the words it rests on; empty for typed messages"),
        C("span_start", "int", "where they start in the message", "characters"),
        C("span_end", "int", "where they end", "characters"),
        C(
            "belief_before",
            "float",
            "b before, the prior at the slot's first update in a round; empty outside the calendar",
        ),
        C("belief_after", "float", "b after; empty outside the calendar"),
        C("update_index", "int", "the update's place among those of its message, from 0"),
        C("in_calendar", "bool", "false for a slot outside the calendar: it changes no belief and is no observation"),
    ),
)

PAIR_ROUND_VPS = Table(
    "pair_round_vps",
    "one round, target, observer and weight mode, where the observer got at least one update by our reading or by the"
    " public script's; vps_loss and its parts are empty where only the script has one",
    ("game_id", "round", "target_agent", "observer_agent", "weight_mode"),
    (
        TRACE_PATH,
        GAME_ID,
        ROUND,
        TARGET,
        OBSERVER,
        C("target_is_participant", "bool", "whether the target takes part in the round's meeting"),
        C("observer_is_participant", "bool", "whether the observer does"),
        C("num_agents", "int", "agents in the game"),
        C("num_slots", "int", "slots of a calendar"),
        C("observations", "int", "updates received"),
        C("prior_distance_to_ideal", "float", "0: the ideal is a belief that stays at the prior"),
        C("posterior_distance_to_ideal", "float", "equals vps_loss"),
        C("vps_loss", "float", "Σ over slots of w·|b − prior| at the end of the round (Eq. 1)", "VPS"),
        C("vps_loss_per_slot", "float", "vps_loss / num_slots", "VPS"),
        C("weight_sum", "float", "Σ over slots of w"),
        C("vps_loss_per_weight", "float", "vps_loss / weight_sum"),
        WEIGHT_MODE,
        C("prior", "float", "the prior belief"),
        C(
            "vps_release",
            "float",
            "the loss as the public script counts it; empty where it finds no evidence",
            "VPS",
        ),
    ),
)

GAME_SUMMARY = Table(
    "game_summary",
    "one game and weight mode",
    ("game_id", "weight_mode"),
    (
        TRACE_PATH,
        GAME_ID,
        C("vps_loss_total", "float", "sum of vps_loss over observed pair-rounds", "VPS"),
        C(
            "vps_loss_mean",
            "float",
            "its mean over observed pair-rounds, the privacy loss of the game; empty when there is none",
            "VPS",
        ),
        C("vps_loss_per_weight", "float", "vps_loss_total / their weight_sum"),
        C("participant_pair_vps_loss_total", "float", "the same over pairs that both take part in the meeting", "VPS"),
        C("participant_pair_vps_loss_mean", "float", "the same", "VPS"),
        C("participant_pair_vps_loss_per_weight", "float", "the same"),
        C("observation_count", "int", "updates received"),
        WEIGHT_MODE,
        C("pair_rounds", "int", "observed pair-rounds"),
        C("all_pair_rounds", "int", "rounds × ordered pairs of agents"),
        C("all_pairs_vps_loss_mean", "float", "vps_loss_total / all_pair_rounds: unobserved ones count 0", "VPS"),
        C(
            "vps_release",
            "float",
            "mean of vps_release over the script's pair-rounds, also of agents with themselves; empty without any",
            "VPS",
        ),
        C("rules", "str", "the rules of typed messages: paper or release"),
        C("english", "str", "the reading of English: full, literal or release"),
        C("english_version", "int", "the version of that reading"),
    ),
)

VPS_BY_SOURCE = Table(
    "vps_by_source",
    "one game, weight mode and source of updates",
    ("game_id", "weight_mode", "source"),
    (
        GAME_ID,
        WEIGHT_MODE,
        C("source", "str", "protocol and kind of the messages, or the language rule"),
        C("updates", "int", "updates from this source"),
        C(
            "vps_loss_moved",
            "float",
            "Σ w·(|b after − prior| − |b before − prior|); adds up to the game's total",
            "VPS",
        ),
        C("share", "float", "vps_loss_moved / the game's vps_loss_total; empty when that is 0"),
    ),
)

PRIVACY_TABLES = (BELIEF_EVIDENCE, PAIR_ROUND_VPS, GAME_SUMMARY, VPS_BY_SOURCE)
