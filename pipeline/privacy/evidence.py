"""Messages to belief updates, and from these to the privacy tables (Appendix H.1 to H.3, H.5)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.privacy.language.messages import language_runs
from pipeline.privacy.protocols import typed_evidence
from pipeline.privacy.protocols.kinds import RoundContext
from pipeline.privacy.rules import RULES, Claim, EvidenceRun, RuleSet, SlotEvidence, Weighing, claims_of
from pipeline.traces.typed_messages import decode_message

if TYPE_CHECKING:
    import polars as pl


def claims(content: str, sender: int, recipients: Sequence[int], context: RoundContext, rules: RuleSet) -> list[Claim]:
    """What a message claims, in its order: typed JSON by its protocol, anything else as language."""
    return claims_of(evidence_runs(content, sender, recipients, context, rules))


def evidence_runs(
    content: str, sender: int, recipients: Sequence[int], context: RoundContext, rules: RuleSet
) -> list[EvidenceRun]:
    """The same in runs: a typed message has one, or one for each agent that it speaks of."""
    typed = decode_message(content)
    if typed is not None:
        return typed_evidence(typed, sender, recipients, context, rules)
    return language_runs(content, sender, rules)


# What all updates of a run, as one observer gets it, have in common.
RUN = {
    "message": pl.UInt32,
    "observer_agent": pl.Int64,
    "target_agent": pl.Int64,
    "source": pl.String,
    "strength": pl.Float64,
    "matched_clause": pl.String,
    "span_start": pl.Int64,
    "span_end": pl.Int64,
}


def belief_updates(messages: pl.DataFrame, games: pl.DataFrame, rules: RuleSet) -> pl.DataFrame:
    """One row per update, in the order of the trace: belief_evidence without the beliefs themselves.

    messages: game_id, event_index, round, from_agent, to_agents, content. games: game_id, setting, trace_path,
    num_slots. A message to several agents informs each of them; nobody learns of itself.
    """
    messages = messages.sort("game_id", "event_index")
    settings = dict(games.select("game_id", "setting").iter_rows())
    updates = _updates(messages, settings, rules)
    of_game = games.select("game_id", "trace_path", "num_slots")
    of_message = messages.select("game_id", "event_index", "round")
    of_message = of_message.join(of_game, on="game_id", how="left", maintain_order="left")
    inside = pl.col("slot").is_between(0, pl.col("num_slots") - 1).fill_null(False)
    return updates.hstack(of_message[updates["message"]]).with_columns(in_calendar=inside).drop("message", "num_slots")


def _updates(messages: pl.DataFrame, settings: Mapping[str, str | None], rules: RuleSet) -> pl.DataFrame:
    """The updates of all messages, each with its place among those of its message."""
    common: list[tuple[Any, ...]] = []
    counts: list[int] = []
    claimed: list[SlotEvidence] = []
    context, now = RoundContext(), None
    names = ("game_id", "round", "from_agent", "to_agents", "content")
    columns = [messages[name].to_list() for name in names]
    for i, (game, number, sender, recipients, content) in enumerate(zip(*columns, strict=True)):
        if (game, number) != now:
            context, now = RoundContext(settings.get(game)), (game, number)
        runs = evidence_runs(content, sender, recipients, context, rules)
        for observer in recipients if runs else ():
            for target, source, strength, slots, clause in runs:
                if target != observer:
                    common.append((i, observer, target, source, strength, *clause))
                    counts.append(len(slots))
                    claimed += slots
    return _frame(common, counts, claimed)


def _frame(common: Sequence[tuple[Any, ...]], counts: Sequence[int], claimed: Sequence[SlotEvidence]) -> pl.DataFrame:
    """The updates of runs: the columns of RUN, how many slots each has, and these with their evidence."""
    run = pl.Series(np.repeat(np.arange(len(counts), dtype=np.uint32), counts))
    columns = list(zip(*common, strict=True)) or [()] * len(RUN)
    of_run = {n: pl.Series(values, dtype=d) for (n, d), values in zip(RUN.items(), columns, strict=True)}
    updates = pl.DataFrame(of_run)[run]
    slots, evidence = zip(*claimed, strict=True) if claimed else ((), ())
    return updates.with_columns(
        pl.Series("update_index", _places(updates["message"].to_numpy()), pl.Int64),
        pl.Series("slot", slots, pl.Int64),
        pl.Series("evidence", evidence, pl.Float64),
    )


def _places(messages: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Each update's place among those of its message, from 0."""
    everything = np.arange(len(messages))
    first = np.ones(len(messages), bool)
    first[1:] = messages[1:] != messages[:-1]
    return everything - np.maximum.accumulate(np.where(first, everything, 0))


PRIVACY = ("belief_evidence", "pair_round_vps", "game_summary", "vps_by_source")

Frames = dict[str, "pl.DataFrame"]


def privacy_frames(frames: Frames, rules: RuleSet, weighing: Weighing) -> Frames:
    """The four privacy tables from games, rounds, messages and calendars."""
    from pipeline.privacy import beliefs

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
