"""What detectors got right of what simulated speakers intended: counts per game, for precision and recall.

Simulated speakers record outside the text what each message is to disclose. A message is judged by what it says:
language evidence by (target, slot, feasible or not), where evidence above 0.5 is feasible; leaks by their labels;
patterns by whether the message shows them. What is said about the only recipient is left out: nobody learns of itself.
"""

import polars as pl

from pipeline.behaviour.patterns import MESSAGE_PATTERNS
from pipeline.behaviour.phrases import GOSSIP
from pipeline.tables import io
from pipeline.tables.schemas.base import TABLES

MESSAGE = ["game_id", "event_index"]
FEASIBLE_ABOVE = 0.5
ALL = "all"
GOSSIP_PATTERNS = [pattern for pattern, _ in GOSSIP]

Frames = dict[str, pl.DataFrame]


def detector_counts(frames: Frames) -> pl.DataFrame:
    """One row per game, finder, part and held_out (kind of phrasing): hits, false_alarms, misses. The table truth."""
    judged = frames["intents"].select(*MESSAGE, "held_out")
    if judged.is_empty():
        return io.to_frame(TABLES["truth"], [])
    counts = [
        count_outcomes("language", judged, intended_slots(frames), detected_slots(frames)),
        count_outcomes("leaks", judged, *intended_and_detected_labels(frames)),
        count_outcomes("patterns", judged, intended_patterns(frames), detected_patterns(frames)),
    ]
    return pl.concat(counts).sort("game_id", "finder", "part", "held_out")


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
    return (
        both.group_by("game_id", "part", "held_out")
        .agg(hits=hit.sum(), false_alarms=alarm.sum(), misses=(~pl.col("detected")).sum())
        .select("game_id", pl.lit(finder).alias("finder"), "part", "held_out", "hits", "false_alarms", "misses")
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
