"""What finders got right of what simulated speakers meant: counts per game, of which precision and recall are made.

Simulated speakers record what each message was to disclose, outside its text. A message is judged by what it says:
of the language evidence, (target, slot, feasible or not), evidence above 0.5 being feasible; of the leak finder, the
labels; of each message pattern, whether it is shown. What is said about the only recipient is left out: nobody learns
of itself.
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


def truth(frames: Frames) -> pl.DataFrame:
    """One row per game, finder, part and kind of phrasing: hits, false alarms and misses."""
    judged = frames["intents"].select(*MESSAGE, "held_out")
    if judged.is_empty():
        return io.to_frame(TABLES["truth"], [])
    made = [
        judge("language", judged, meant_slots(frames), found_slots(frames)),
        judge("leaks", judged, *labels_and_tiers(frames)),
        judge("patterns", judged, meant_patterns(frames), found_patterns(frames)),
    ]
    return pl.concat(made).sort("game_id", "finder", "part", "held_out")


def judge(finder: str, judged: pl.DataFrame, meant: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """Set what was meant in the judged messages beside what was found there; each has a `part`, and keys of its own."""
    keys = [name for name in meant.columns if name != "part"]
    parts = dict.fromkeys(["meant", "found"])
    sides = zip(parts, (meant, found), strict=True)
    left, right = (side.unique().with_columns(pl.lit(True).alias(name)) for name, side in sides)
    both = left.join(right, on=[*keys, "part"], how="full", coalesce=True).join(judged, on=MESSAGE, how="inner")
    both = both.with_columns(pl.col("meant", "found").fill_null(False))
    counted = both.filter(~pl.col("part").str.ends_with("_strict"))
    both = pl.concat([both, counted.with_columns(part=pl.lit(ALL))])
    hit, alarm = pl.col("meant") & pl.col("found"), pl.col("found") & ~pl.col("meant")
    return (
        both.group_by("game_id", "part", "held_out")
        .agg(hits=hit.sum(), false_alarms=alarm.sum(), misses=(~pl.col("found")).sum())
        .select("game_id", pl.lit(finder).alias("finder"), "part", "held_out", "hits", "false_alarms", "misses")
    )


def meant_slots(frames: Frames) -> pl.DataFrame:
    """Slots told on purpose, of others than the only recipient."""
    to = frames["messages"].select(*MESSAGE, "to_agents")
    told = frames["intended_statements"].drop_nulls("slot").join(to, on=MESSAGE, how="inner")
    own = (pl.col("to_agents").list.len() == 1) & (pl.col("to_agents").list.first() == pl.col("target"))
    return told.filter(~own).select(*MESSAGE, "target", "slot", part=_polarity(pl.col("free")))


def found_slots(frames: Frames) -> pl.DataFrame:
    """Slots that the language evidence has read out of messages."""
    read = frames["belief_evidence"].drop_nulls("slot")
    feasible = _polarity(pl.col("evidence") > FEASIBLE_ABOVE)
    return read.select(*MESSAGE, "slot", target="target_agent", part=feasible)


def _polarity(feasible: pl.Expr) -> pl.Expr:
    return pl.when(feasible).then(pl.lit("feasible")).otherwise(pl.lit("infeasible"))


def labels_and_tiers(frames: Frames) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Labels told on purpose, and labels found; their part is the tier."""
    meant = frames["intended_labels"].select(*MESSAGE, "label")
    found = frames["leaks"].select(*MESSAGE, "label")
    tiers = frames["labels_known"].select("game_id", "label", part="tier").unique(["game_id", "label"], keep="first")
    tiered = (side.join(tiers, on=["game_id", "label"], how="left") for side in (meant, found))
    first, second = (side.with_columns(pl.col("part").fill_null("unknown")) for side in tiered)
    return first, second


def meant_patterns(frames: Frames) -> pl.DataFrame:
    """Message patterns shown on purpose; gossip is set beside the strict count as well."""
    shown = frames["intents"].select(*MESSAGE, part="behaviours").explode("part")
    shown = shown.filter(pl.col("part").is_in(MESSAGE_PATTERNS))
    return pl.concat([shown, _strict(shown.filter(pl.col("part").is_in(GOSSIP_PATTERNS)))])


def found_patterns(frames: Frames) -> pl.DataFrame:
    """Message patterns found, and gossip by the strict count."""
    found = frames["patterns"].filter(pl.col("pattern").is_in(MESSAGE_PATTERNS)).rename({"pattern": "part"})
    strict = found.filter(pl.col("strict") & pl.col("part").is_in(GOSSIP_PATTERNS))
    return pl.concat([found.select(*MESSAGE, "part"), _strict(strict.select(*MESSAGE, "part"))])


def _strict(shown: pl.DataFrame) -> pl.DataFrame:
    return shown.with_columns(pl.col("part") + "_strict")
