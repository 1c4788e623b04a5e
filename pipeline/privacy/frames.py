"""Messages to who learnt what: the four privacy tables, composed of evidence and beliefs, by any rule set."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pipeline.privacy.rules import RULES, RuleSet, Weighing

if TYPE_CHECKING:
    import polars as pl

PRIVACY = ("belief_evidence", "pair_round_vps", "game_summary", "vps_by_source")

Frames = dict[str, "pl.DataFrame"]


def privacy_frames(frames: Frames, rules: RuleSet, weighing: Weighing) -> Frames:
    """The four privacy tables from games, rounds, messages and calendars."""
    from pipeline.privacy import beliefs
    from pipeline.privacy.evidence import belief_updates

    updates = belief_updates(frames["messages"], frames["games"], rules)
    evidence = beliefs.hold_beliefs(updates, weighing)
    weighed = beliefs.weigh(evidence, frames["calendars"], weighing)
    pairs = beliefs.pair_round_vps(weighed, frames["games"], frames["rounds"], weighing)
    return {
        "belief_evidence": evidence,
        "pair_round_vps": pairs,
        "game_summary": beliefs.game_summary(pairs, frames["games"]),
        "vps_by_source": beliefs.vps_by_source(weighed, weighing),
    }


def vps_by_rules(frames: Frames, names: Iterable[str] = tuple(RULES), prior: float = 0.5) -> "pl.DataFrame":
    """One row per rule set and setting: the mean over games of VPS with uniform weights, as in Table 1.

    frames: games, rounds, messages and calendars of the games.
    """
    import polars as pl

    settings = frames["games"].select("game_id", "setting")
    by_rules = []
    for name in names:
        summary = privacy_frames(frames, RULES[name], Weighing(prior=prior))["game_summary"]
        means = summary.filter(weight_mode="uniform").join(settings, on="game_id").sort("setting", "game_id")
        by_rules.append(
            means.group_by("setting", maintain_order=True)
            .agg(games=pl.len(), vps=pl.col("vps_loss_mean").mean())
            .select(pl.lit(name).alias("rules"), "setting", "games", "vps")
        )
    return pl.concat(by_rules)
