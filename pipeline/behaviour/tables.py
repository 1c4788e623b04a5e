"""Messages to the tables of behaviour, and how often detectors found what simulated speakers intended."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import polars as pl

from pipeline.behaviour.leaks import (
    CueIndex,
    KnownLabel,
    all_cues,
    disclosed_labels,
    may_contain_cue,
    prepare_label,
)
from pipeline.behaviour.patterns import (
    GOSSIP,
    MESSAGE_PATTERNS,
    Row,
    Thresholds,
    english_messages,
    find_patterns,
    participants_by_meeting,
    probing_agents,
)
from pipeline.behaviour.phrases import APOSTROPHES, words
from pipeline.tables import io
from pipeline.tables.schemas.base import MADE_FROM, ROOMS, TABLES, require_makers

MESSAGE = ["game_id", "event_index"]
FEASIBLE_ABOVE = 0.5
ALL = "all"
JOINS_TEMPLATES = "+"
GOSSIP_PATTERNS = [pattern for pattern, _ in GOSSIP]

Frames = dict[str, pl.DataFrame]


def detector_counts(frames: Frames) -> pl.DataFrame:
    """One row per game, finder, part, held_out and wording: hits, false_alarms, misses. The table truth."""
    judged = frames["intents"].select(*MESSAGE, "held_out", wording=pl.col("phrases").list.join(JOINS_TEMPLATES))
    if judged.is_empty():
        return io.to_frame(TABLES["truth"], [])
    counts = [
        count_outcomes("language", judged, intended_slots(frames), detected_slots(frames)),
        count_outcomes("leaks", judged, *intended_and_detected_labels(frames)),
        count_outcomes("patterns", judged, intended_patterns(frames), detected_patterns(frames)),
    ]
    return pl.concat(counts).sort(TABLES["truth"].key)


def count_outcomes(finder: str, judged: pl.DataFrame, intended: pl.DataFrame, detected: pl.DataFrame) -> pl.DataFrame:
    """The rows of one detector; both sides have game_id, event_index, `part`, and keys of the detector's own."""
    keys = [name for name in intended.columns if name != "part"]
    left = intended.unique().with_columns(intended=True)
    right = detected.unique().with_columns(detected=True)
    both = left.join(right, on=[*keys, "part"], how="full", coalesce=True).join(judged, on=MESSAGE, how="inner")
    both = both.with_columns(pl.col("intended", "detected").fill_null(False))
    overall = both.filter(~pl.col("part").str.ends_with("_strict"))
    both = pl.concat([both, overall.with_columns(part=pl.lit(ALL))])
    hit, alarm = pl.col("intended") & pl.col("detected"), pl.col("detected") & ~pl.col("intended")
    counts = {"hits": hit.sum(), "false_alarms": alarm.sum(), "misses": (~pl.col("detected")).sum()}
    return (
        both.group_by("game_id", "part", "held_out", "wording")
        .agg(**counts)
        .with_columns(pl.lit(finder).alias("finder"))
        .select(*TABLES["truth"].key, *counts)
    )


def intended_slots(frames: Frames) -> pl.DataFrame:
    """One row per slot disclosed on purpose, of others than the only recipient: message, target, slot, part."""
    recipients = frames["messages"].select(*MESSAGE, "to_agents")
    stated = frames["intended_statements"].drop_nulls("slot").join(recipients, on=MESSAGE, how="inner")
    of_recipient = (pl.col("to_agents").list.len() == 1) & (pl.col("to_agents").list.first() == pl.col("target"))
    return stated.filter(~of_recipient).select(*MESSAGE, "target", "slot", part=_polarity(pl.col("free")))


def detected_slots(frames: Frames) -> pl.DataFrame:
    """One row per slot in the language evidence: message, slot, target, part."""
    evidence = frames["belief_evidence"].drop_nulls("slot")
    feasible = _polarity(pl.col("evidence") > FEASIBLE_ABOVE)
    return evidence.select(*MESSAGE, "slot", target="target_agent", part=feasible)


def _polarity(feasible: pl.Expr) -> pl.Expr:
    return pl.when(feasible).then(pl.lit("feasible")).otherwise(pl.lit("infeasible"))


def intended_and_detected_labels(frames: Frames) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Labels disclosed on purpose, and those detected: message, label, part (the label's tier)."""
    intended = frames["intended_labels"].select(*MESSAGE, "label")
    detected = frames["leaks"].select(*MESSAGE, "label")
    tiers = frames["labels_known"].select("game_id", "label", part="tier").unique(["game_id", "label"], keep="first")
    tiered = (side.join(tiers, on=["game_id", "label"], how="left") for side in (intended, detected))
    first, second = (side.with_columns(pl.col("part").fill_null("unknown")) for side in tiered)
    return first, second


def intended_patterns(frames: Frames) -> pl.DataFrame:
    """Message patterns shown on purpose: message, part. Gossip is there twice, also for the strict count."""
    shown = frames["intents"].select(*MESSAGE, part="behaviours").explode("part")
    shown = shown.filter(pl.col("part").is_in(MESSAGE_PATTERNS))
    return pl.concat([shown, _as_strict(shown.filter(pl.col("part").is_in(GOSSIP_PATTERNS)))])


def detected_patterns(frames: Frames) -> pl.DataFrame:
    """Message patterns detected: message, part. Gossip is there twice, also by the strict count."""
    detected = frames["patterns"].filter(pl.col("pattern").is_in(MESSAGE_PATTERNS)).rename({"pattern": "part"})
    strict = detected.filter(pl.col("strict") & pl.col("part").is_in(GOSSIP_PATTERNS))
    return pl.concat([detected.select(*MESSAGE, "part"), _as_strict(strict.select(*MESSAGE, "part"))])


def _as_strict(shown: pl.DataFrame) -> pl.DataFrame:
    return shown.with_columns(pl.col("part") + "_strict")


ROUND = ["game_id", "round"]
MESSAGE_SUMS = {
    "messages": pl.len().cast(pl.Int64),
    "dms": (pl.col("channel") == "dm").sum().cast(pl.Int64),
    "said_chars": pl.col("said_chars").sum(),
}

BEHAVIOUR_TABLES = ROOMS["behaviour"]
BEHAVIOUR_INPUTS = tuple(
    sorted({name for table in BEHAVIOUR_TABLES for name in MADE_FROM[table]} - {*BEHAVIOUR_TABLES})
)


def stance(messages: pl.DataFrame, agents: pl.DataFrame) -> pl.DataFrame:
    """One row per agent of a game: its English messages, and those with a phrase of either set, or of both."""
    key = ["game_id", "agent"]
    english = messages.filter(pl.col("typed").is_null()).select(
        "game_id", agent="from_agent", text=straight_apostrophes(pl.col("content"))
    )
    english = english.with_columns(acquiescing=has_phrase("acquiescence"), pushing_back=has_phrase("pushback"))
    counts = english.group_by(key).agg(
        english_messages=pl.len(),
        acquiescing=pl.col("acquiescing").sum(),
        pushing_back=pl.col("pushing_back").sum(),
        both=(pl.col("acquiescing") & pl.col("pushing_back")).sum(),
    )
    all_agents = agents.select(key).join(counts, on=key, how="left")
    return all_agents.with_columns(pl.exclude(key).fill_null(0)).sort(key)


def straight_apostrophes(text: pl.Expr) -> pl.Expr:
    """The text with plain apostrophes."""
    typed = [chr(letter) for letter in APOSTROPHES]
    return text.str.replace_many(typed, ["'"] * len(typed))


def has_phrase(phrases: str) -> pl.Expr:
    """Whether `text` has one of the phrases of stance.yaml, in any case (Appendix A.1)."""
    return pl.col("text").str.contains_any(words("stance")[phrases], ascii_case_insensitive=True)


def round_volume(
    rounds: pl.DataFrame, messages: pl.DataFrame, moves: pl.DataFrame, calendars: pl.DataFrame
) -> pl.DataFrame:
    """One row per round: messages, earlier meetings moved, the first feasible slot, and costs up to its end."""
    message_sums = messages.group_by(ROUND).agg(**MESSAGE_SUMS)
    moved = moves.filter(item_kind="meeting").group_by(ROUND).agg(prior_meetings_moved=pl.col("item_id").n_unique())
    all_rounds = rounds.sort(ROUND).select(*ROUND, "coordinated", "slot", "cost", "optimal_cost")
    all_rounds = all_rounds.join(message_sums, on=ROUND, how="left").join(moved, on=ROUND, how="left")
    all_rounds = all_rounds.join(first_feasible_slots(rounds, calendars), on=ROUND, how="left").sort(ROUND)
    return all_rounds.with_columns(
        pl.col(*MESSAGE_SUMS, "prior_meetings_moved").fill_null(0),
        meeting_index=pl.int_range(1, pl.len() + 1).over("game_id"),
        took_first_feasible=pl.when("coordinated").then(pl.col("slot") == pl.col("first_feasible_slot")),
        cumulative_cost=pl.col("cost").cum_sum().over("game_id"),
        cumulative_optimal_cost=pl.col("optimal_cost").cum_sum().over("game_id"),
    ).with_columns(cumulative_excess=pl.col("cumulative_cost") - pl.col("cumulative_optimal_cost"))


def first_feasible_slots(rounds: pl.DataFrame, calendars: pl.DataFrame) -> pl.DataFrame:
    """One row per round all of whose participants' calendars were rendered in it: its first feasible slot, if any."""
    size = pl.col("participants").list.len()
    participants = rounds.select(*ROUND, size=size, agent="participants").explode("agent")
    shown = participants.join(calendars, on=[*ROUND, "agent"], how="inner")
    shown = shown.with_columns(fixed=pl.concat_list("blocked", "meeting_slots"))
    by_round = shown.group_by(*ROUND, "size").agg(
        takes_all=can_take_a_meeting().all(),
        known=pl.len(),
        slots=pl.col("costs").first(),
        fixed=pl.col("fixed").list.explode(keep_nulls=False, empty_as_null=False),
    )
    all_known = by_round.filter(pl.col("known") == pl.col("size"))
    free = pl.int_ranges(pl.col("slots").list.len()).list.set_difference("fixed").list.min()
    return all_known.select(*ROUND, first_feasible_slot=pl.when("takes_all").then(free))


def can_take_a_meeting() -> pl.Expr:
    """Whether a calendar of `costs` and `fixed` slots can take a meeting in any other slot: one is free, and its
    errands can move there.

    Fixed are the slots that hold a blocked item or a meeting: as in SD-MAP, an earlier meeting is not moved.
    """
    fixed_costs = pl.col("costs").list.gather(pl.col("fixed"), null_on_oob=True)
    return pl.col("costs").list.count_matches(0) > fixed_costs.list.count_matches(0)


def speaker_volume(rounds: pl.DataFrame, messages: pl.DataFrame) -> pl.DataFrame:
    """One row per round and agent: each participant with its position among the speakers, and who else wrote."""
    key = [*ROUND, "agent"]
    order = rounds.select(*ROUND, agent="speaker_order").explode("agent").drop_nulls("agent")
    order = order.with_columns(position=pl.int_range(1, pl.len() + 1).over(ROUND))
    takes_part = rounds.select(*ROUND, agent="participants").explode("agent").drop_nulls("agent")
    message_sums = messages.rename({"from_agent": "agent"}).group_by(key).agg(**MESSAGE_SUMS)
    speakers = pl.concat([takes_part, message_sums.select(key)]).unique(key)
    speakers = speakers.join(order, on=key, how="left").join(message_sums, on=key, how="left")
    return speakers.with_columns(pl.col(*MESSAGE_SUMS).fill_null(0)).sort(key)


def find_leaks(
    messages: pl.DataFrame, labels_known: pl.DataFrame, rounds: pl.DataFrame, agents: pl.DataFrame
) -> list[Row]:
    """One row per leaked label and recipient, in the order of the table leaks."""
    cues = all_cues(labels_known)
    candidates = messages.join(probing_agents(agents), on=("game_id", "from_agent"), how="left", maintain_order="left")
    candidates = candidates.filter(may_contain_cue(pl.col("content"), cues) | pl.col("nosy"))
    index = CueIndex(cues)
    messages_with_cues = [(*message, index.cues_in(message[-1])) for message in english_messages(candidates)]
    if not messages_with_cues:
        return []
    labels = labels_by_agent(labels_known, messages_with_cues)
    participants = participants_by_meeting(rounds)
    probing = set(probing_agents(agents).select("game_id", "from_agent").iter_rows())
    probed: set[tuple[str, int, int]] = set()
    rows: list[Row] = []
    for game, event, round_number, sender, recipients, content, message_cues in messages_with_cues:
        if (game, sender) in probing:
            probed.update((game, round_number, recipient) for recipient in recipients)
        for label, start, end in disclosed_labels(content, message_cues, event, labels.get((game, sender), ())):
            for to in dict.fromkeys(recipients):
                is_answer = (game, to) in probing or (game, round_number, sender) in probed
                induced = (game, sender) not in probing and is_answer
                entitled = label.kind == "meeting" and to in participants.get((game, label.item_id), ())
                leak = (game, event, round_number, sender, to, label.label, label.tier, content[start:end], start, end)
                rows.append((*leak, induced, entitled, label.kind, label.item_id))
    return rows


def labels_by_agent(
    labels_known: pl.DataFrame, messages_with_cues: Iterable[Row]
) -> Mapping[tuple[str, int], Sequence[KnownLabel]]:
    """(game, agent) → the labels that it could know, of those that one of its messages hints at."""
    hints: dict[tuple[str, int], set[str]] = {}
    for game, _, _, sender, _, _, message_cues in messages_with_cues:
        hints.setdefault((game, sender), set()).update(message_cues)
    names = ("game_id", "agent", "kind", "item_id", "label", "tier", "terms", "known_from")
    labels: dict[tuple[str, int], list[KnownLabel]] = {}
    for game, agent, kind, item, label, tier, terms, since in zip(
        *(labels_known[n].to_list() for n in names), strict=True
    ):
        if cues := hints.get((game, agent)):
            prepared = prepare_label(label, tuple(terms))
            if not prepared.cues.isdisjoint(cues):
                labels.setdefault((game, agent), []).append(KnownLabel(kind, item, label, tier, since, prepared))
    return labels


# Table → how it is made of the frames of those before it and of its other inputs.
MAKERS: dict[str, Callable[[Frames, Thresholds], pl.DataFrame]] = {
    "leaks": lambda frames, _: io.to_frame(TABLES["leaks"], find_leaks(*(frames[name] for name in MADE_FROM["leaks"]))),
    "patterns": lambda frames, limits: io.to_frame(
        TABLES["patterns"], find_patterns(frames, frames["leaks"].rows(), limits)
    ),
    "stance": lambda frames, _: stance(frames["messages"], frames["agents"]),
    "round_volume": lambda frames, _: round_volume(*(frames[name] for name in MADE_FROM["round_volume"])),
    "speaker_volume": lambda frames, _: speaker_volume(frames["rounds"], frames["messages"]),
    "truth": lambda frames, _: detector_counts(frames),
}


def behaviour_frames(frames: Frames, limits: Thresholds, wanted: Collection[str] = BEHAVIOUR_TABLES) -> Frames:
    """The wanted behaviour tables, of which there may be none, from frames of BEHAVIOUR_INPUTS by their names.

    wanted: names, with those of the behaviour tables that they are made from (MADE_FROM).
    """
    require_makers("behaviour", MAKERS, "MAKERS of pipeline/behaviour/tables.py")
    made: Frames = {}
    for name, make in MAKERS.items():
        if name in wanted:
            made[name] = make(frames | made, limits)
    return made
