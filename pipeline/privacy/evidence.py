"""Messages to belief updates, and from these to the privacy tables (Appendix H.1 to H.3, H.5)."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.privacy import beliefs
from pipeline.privacy.english_release import release_runs
from pipeline.privacy.language.messages import language_runs
from pipeline.privacy.protocols import typed_evidence
from pipeline.privacy.protocols.kinds import RoundContext
from pipeline.privacy.rules import (
    PUBLIC_SCRIPT,
    RULES,
    Claim,
    EvidenceRun,
    RuleSet,
    SlotEvidence,
    Weighing,
    claims_of,
)
from pipeline.tables.schemas.base import ROOMS
from pipeline.traces import limits
from pipeline.traces.trace import TraceError
from pipeline.traces.typed_messages import decode_message

PRIVACY_TABLES = ROOMS["privacy"]

# The columns that all updates of an evidence run have in common, once for each observer. Each scale has its strength of
# the run, the chosen rules and the public script, or none where it does not find it.
RUN_COLUMNS = {
    "message": pl.UInt32,
    "observer_agent": pl.Int64,
    "target_agent": pl.Int64,
    "source": pl.String,
    "strength": pl.Float64,
    "script_strength": pl.Float64,
    "matched_clause": pl.String,
    "span_start": pl.Int64,
    "span_end": pl.Int64,
}

GAME_COLUMNS = ("game_id", "setting", "num_agents", "num_slots")
MESSAGE_COLUMNS = ("game_id", "event_index", "round", "channel", "from_agent", "to_agents", "content")

# Of typed messages the script knows these protocols, and of their kinds those of Table 10. Other JSON is English to it.
SCRIPT_PROTOCOLS = ("dsm", "imap", "sd")
SCRIPT_SOURCES = {
    *("imap_costs", "imap_decision", "sd_propose", "sd_reply", "sd_propose_reschedule", "sd_reschedule_reply"),
    *("dsm_proposals", "dsm_scores", "dsm_decision"),
}

Frames = dict[str, pl.DataFrame]


class GameFacts(NamedTuple):
    """What the reading of a game's messages needs of it; an unknown game has none."""

    setting: str | None = None
    num_agents: int = 0
    num_slots: int | None = None


class Found(NamedTuple):
    """Evidence of a message, and by which scale it counts, with its strength there.

    reflexive: whether the chosen rules let an agent learn of itself.
    """

    run: EvidenceRun
    strength: float | None
    script_strength: float | None
    reflexive: bool = False


def claims(
    content: str,
    sender: int,
    recipients: Sequence[int],
    context: RoundContext,
    rules: RuleSet,
    num_slots: int | None = None,
) -> list[Claim]:
    """What a message claims, in its order: typed JSON by its protocol, anything else as language.

    English claims no slot beyond the `num_slots` of the calendar; typed messages do, and their claim changes no belief.
    """
    typed = decode_message(content)
    if typed is not None:
        return claims_of(typed_evidence(typed, sender, recipients, context, rules))
    return claims_of(language_runs(content, sender, rules, num_slots))


def belief_updates(messages: pl.DataFrame, games: pl.DataFrame, rules: RuleSet) -> pl.DataFrame:
    """One row per update, in the order of the trace: belief_evidence without the beliefs themselves, and the public
    script's strength of it.

    An update by the rules alone has no `script_strength`, one by the script alone no `strength`.
    messages: MESSAGE_COLUMNS. games: GAME_COLUMNS and trace_path. A message to several agents informs each of them.
    """
    messages = messages.sort("game_id", "event_index")
    known = {game: GameFacts(*facts) for game, *facts in games.select(*GAME_COLUMNS).iter_rows()}
    updates = _updates(messages, known, rules)
    game_columns = games.select("game_id", "trace_path", "num_slots")
    message_columns = messages.select("game_id", "event_index", "round")
    message_columns = message_columns.join(game_columns, on="game_id", how="left", maintain_order="left")
    inside = pl.col("slot").is_between(0, pl.col("num_slots") - 1).fill_null(False)
    return (
        updates.hstack(message_columns[updates["message"]])
        .with_columns(in_calendar=inside)
        .drop("message", "num_slots")
    )


def _updates(messages: pl.DataFrame, games: Mapping[str, GameFacts], rules: RuleSet) -> pl.DataFrame:
    """One row per update: RUN_COLUMNS, update_index, slot, evidence. Raises TraceError for a game with too many."""
    run_rows: list[tuple[Any, ...]] = []
    counts: list[int] = []
    slot_evidence: list[SlotEvidence] = []
    facts, context, current_round = GameFacts(), RoundContext(), None
    delivered: Counter[str] = Counter()
    columns = [messages[name].to_list() for name in MESSAGE_COLUMNS]
    for message, (game, event, number, channel, sender, recipients, content) in enumerate(zip(*columns, strict=True)):
        if (game, number) != current_round:
            facts = games.get(game, GameFacts())
            context, current_round = RoundContext(facts.setting), (game, number)
        found = _found(content, channel == "dm", sender, recipients, facts, context, rules)
        delivered[game] += len(recipients) * sum(len(one.run[3]) for one in found)
        if delivered[game] > limits.DELIVERED_CLAIMS:
            reason = f"more than {limits.DELIVERED_CLAIMS} claims of messages, times their recipients"
            raise TraceError(reason, f".events[{event}].data.content")
        for observer in recipients if found else ():
            for (target, source, _, slots, clause), strength, script_strength, reflexive in found:
                chosen = strength if reflexive or target != observer else None
                if chosen is not None or script_strength is not None:
                    run_rows.append((message, observer, target, source, chosen, script_strength, *clause))
                    counts.append(len(slots))
                    slot_evidence += slots
    return _updates_frame(run_rows, counts, slot_evidence)


def _found(
    content: str,
    direct: bool,
    sender: int,
    recipients: Sequence[int],
    facts: GameFacts,
    context: RoundContext,
    rules: RuleSet,
) -> list[Found]:
    """What a message tells by the rules, by the public script, or by both. `direct`: whether it is to one agent."""
    typed = decode_message(content)
    is_script = rules.is_public_script
    shared = is_script or (typed is None and rules.english == "release")
    by_script: list[EvidenceRun] = []
    if direct and (typed is None or typed.protocol not in SCRIPT_PROTOCOLS):
        by_script = release_runs(content, sender, recipients[0], facts.num_agents, facts.num_slots)
    found = [Found(run, run[2] if shared else None, run[2], shared) for run in by_script]
    if typed is not None:
        runs = typed_evidence(typed, sender, recipients, context, rules)
        strength = PUBLIC_SCRIPT.typed(typed.source) if direct and typed.source in SCRIPT_SOURCES else None
        return found + [Found(run, strength if is_script else run[2], strength, is_script) for run in runs]
    runs = [] if rules.english == "release" else language_runs(content, sender, rules, facts.num_slots)
    return found + [Found(run, run[2], None) for run in runs]


def _updates_frame(
    run_rows: Sequence[tuple[Any, ...]], counts: Sequence[int], slot_evidence: Sequence[SlotEvidence]
) -> pl.DataFrame:
    """One row per update, from each run's RUN_COLUMNS, its number of slots, and all runs' slots with their evidence."""
    run = pl.Series(np.repeat(np.arange(len(counts), dtype=np.uint32), counts))
    columns = list(zip(*run_rows, strict=True)) or [()] * len(RUN_COLUMNS)
    run_columns = {n: pl.Series(values, dtype=d) for (n, d), values in zip(RUN_COLUMNS.items(), columns, strict=True)}
    updates = pl.DataFrame(run_columns)[run]
    slots, evidence = zip(*slot_evidence, strict=True) if slot_evidence else ((), ())
    return updates.with_columns(
        pl.Series("update_index", _indices_in_message(updates), pl.Int64),
        pl.Series("slot", slots, pl.Int64),
        pl.Series("evidence", evidence, pl.Float64),
    )


def _indices_in_message(updates: pl.DataFrame) -> NDArray[np.int64]:
    """Each update's index among those of its message that the rules find, from 0."""
    messages, chosen = updates["message"].to_numpy(), updates["strength"].is_not_null().to_numpy()
    before = np.cumsum(chosen) - chosen
    first = np.ones(len(messages), bool)
    first[1:] = messages[1:] != messages[:-1]
    index: NDArray[np.int64] = before - np.maximum.accumulate(np.where(first, before, 0))
    return index


def privacy_frames(
    frames: Frames, rules: RuleSet, weighing: Weighing, wanted: Collection[str] = PRIVACY_TABLES
) -> Frames:
    """The wanted privacy tables, of which there may be none, from frames of games, rounds, messages and calendars.

    wanted: names, with those of the privacy tables that they are made from (MADE_FROM).
    """
    if "belief_evidence" not in wanted:
        return {}
    found = belief_updates(frames["messages"], frames["games"], rules)
    updates = beliefs.update_beliefs(found.filter(pl.col("strength").is_not_null()), weighing)
    made = {"belief_evidence": updates}
    if "pair_round_vps" in wanted or "vps_by_source" in wanted:
        weights = beliefs.slot_weights(frames["calendars"], weighing)
        weighted = beliefs.weigh_updates(updates, weights)
    if "pair_round_vps" in wanted:
        losses = _with_script(beliefs.pair_losses(weighted, weighing), found, frames["calendars"], weighing)
        made["pair_round_vps"] = beliefs.pair_round_vps(losses, weights, frames["games"], frames["rounds"], weighing)
    if "game_summary" in wanted:
        made["game_summary"] = beliefs.game_summary(made["pair_round_vps"], frames["games"], rules)
    if "vps_by_source" in wanted:
        made["vps_by_source"] = beliefs.vps_by_source(weighted, weighing)
    return made


def _with_script(
    losses: pl.DataFrame, found: pl.DataFrame, calendars: pl.DataFrame, weighing: Weighing
) -> pl.DataFrame:
    """The losses of pairs with `uniform_release` and `cost_release`, the public script's, and a row for a pair of its
    alone. Beliefs are computed anew only for games of which the script finds other evidence, or weighs it otherwise."""
    script = Weighing()
    differs = pl.lit(weighing != script) | pl.col("strength").ne_missing(pl.col("script_strength"))
    differing = found.filter(differs).select("game_id").unique()
    evidence = found.filter(pl.col("script_strength").is_not_null()).join(
        differing, on="game_id", how="semi", maintain_order="left"
    )
    updates = beliefs.update_beliefs(evidence.with_columns(strength="script_strength"), script)
    weighted = beliefs.weigh_updates(updates, beliefs.slot_weights(calendars, script))
    by_script = pl.concat(
        [
            losses.join(differing, on="game_id", how="anti").drop("observations"),
            beliefs.pair_losses(weighted, script).drop("observations"),
        ]
    ).rename({f"{mode}_loss": f"{mode}_release" for mode in beliefs.MODES})
    return losses.join(by_script, on=[*beliefs.PAIR, "trace_path"], how="full", coalesce=True)


def vps_by_rules(frames: Frames, names: Iterable[str] = tuple(RULES), prior: float = 0.5) -> pl.DataFrame:
    """One row per rule set and setting: the mean over games of VPS with uniform weights, as in Table 1.

    frames: games, rounds, messages and calendars of the games.
    """
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
