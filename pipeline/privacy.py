"""Messages to who learnt what: the four privacy tables, composed of evidence and beliefs."""

from typing import TYPE_CHECKING

from pipeline.rules import RuleSet, Weighing

if TYPE_CHECKING:
    import polars as pl

PRIVACY = ("belief_evidence", "pair_round_vps", "game_summary", "vps_by_source")

Frames = dict[str, "pl.DataFrame"]


def privacy_frames(frames: Frames, rules: RuleSet, weighing: Weighing) -> Frames:
    """The four privacy tables from games, rounds, messages and calendars."""
    from pipeline import beliefs
    from pipeline.evidence import belief_updates

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
