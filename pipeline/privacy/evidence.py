"""Messages to belief updates, and from these to the privacy tables (Appendix H.1 to H.3, H.5)."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.privacy import beliefs
from pipeline.privacy.english_release import VALUES, release_hints, release_runs
from pipeline.privacy.language.messages import language_runs
from pipeline.privacy.protocols import typed_evidence
from pipeline.privacy.protocols.kinds import RoundContext
from pipeline.privacy.rules import (
    PUBLIC_SCRIPT,
    RULES,
    SCRIPT_WEIGHING,
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
from pipeline.traces.typed_messages import TypedContent, decode_message

PRIVACY_TABLES = ROOMS["privacy"]

# The columns that all updates of an evidence run have in common, once for each observer.
RUN_COLUMNS = {
    "message": pl.UInt32,
    "observer_agent": pl.Int64,
    "target_agent": pl.Int64,
    "source": pl.String,
    "strength": pl.Float64,
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
    """What the reading of a game's messages needs of it; of an unknown game nothing is known."""

    setting: str | None = None
    num_agents: int = 0
    num_slots: int | None = None


class Sent(NamedTuple):
    """A message as it was sent, decoded where it is typed. direct: whether it went to one agent alone."""

    content: str
    typed: TypedContent | None
    direct: bool
    sender: int
    recipients: Sequence[int]

    @property
    def is_script_typed(self) -> bool:
        """Whether the script reads it as a typed message that tells something."""
        return self.direct and self.typed is not None and self.typed.source in SCRIPT_SOURCES

    @property
    def is_script_english(self) -> bool:
        """Whether the script reads it as English."""
        return self.direct and (self.typed is None or self.typed.protocol not in SCRIPT_PROTOCOLS)


class ScriptBeliefs:
    """Beliefs as the script has them, message by message, by round, target, observer and slot.

    A round is given by any number of its own. Where nothing was told of a slot, its belief is the prior.
    """

    def __init__(self) -> None:
        self.beliefs: dict[tuple[int, int, int, int], float] = {}

    def read(self, number: int, message: Sent, typed_runs: Iterable[EvidenceRun], facts: GameFacts) -> int:
        """Update the beliefs of a round by a message. Returns how many updates there were.

        typed_runs: what it tells by the rules of its protocol.
        """
        if not message.direct:
            return 0
        observer, updates = message.recipients[0], 0
        if message.is_script_typed:
            for target, source, _, slots, _ in typed_runs:
                self._update((number, target, observer), slots, PUBLIC_SCRIPT.typed(source), facts.num_slots)
                updates += len(slots)
        elif message.is_script_english:
            for target, source, named, _ in release_hints(message.content, message.sender, observer, *facts[1:]):
                evidence, strength = VALUES[source]
                slots = [(slot, evidence) for slot in named]
                self._update((number, target, observer), slots, strength, facts.num_slots)
                updates += len(slots)
        return updates

    def _update(
        self, pair: tuple[int, int, int], slots: Iterable[SlotEvidence], strength: float, num_slots: int | None
    ) -> None:
        """b ← (1 − s)·b + s·e for each slot; one outside the calendar changes nothing."""
        beliefs = self.beliefs
        for slot, evidence in slots:
            if slot is not None and 0 <= slot < (num_slots or 0):
                belief = *pair, slot
                before = beliefs.get(belief, SCRIPT_WEIGHING.prior)
                beliefs[belief] = (1.0 - strength) * before + strength * evidence

    def frame(self) -> pl.DataFrame:
        """One row per belief that was told of: the round's number, target_agent, observer_agent, slot, belief_after."""
        columns = list(zip(*self.beliefs, strict=True)) or [()] * 4
        names = ("number", "target_agent", "observer_agent", "slot")
        keys = {name: pl.Series(values, dtype=pl.Int64) for name, values in zip(names, columns, strict=True)}
        return pl.DataFrame(keys | {"belief_after": pl.Series(self.beliefs.values(), dtype=pl.Float64)})


def claims(
    content: str,
    sender: int,
    recipients: Sequence[int],
    context: RoundContext,
    rules: RuleSet,
    num_slots: int | None = None,
) -> list[Claim]:
    """What a message claims, in its order: typed JSON by its protocol, anything else by our readings of English.

    English claims no slot beyond the `num_slots` of the calendar; typed messages do, and their claim changes no belief.
    """
    typed = decode_message(content)
    if typed is not None:
        return claims_of(typed_evidence(typed, sender, recipients, context, rules))
    return claims_of(language_runs(content, sender, rules, num_slots))


def belief_updates(messages: pl.DataFrame, games: pl.DataFrame, rules: RuleSet) -> tuple[pl.DataFrame, pl.DataFrame]:
    """One row per update, in the order of the trace: belief_evidence without the beliefs themselves. And one row per
    belief that the public script has at the end of a round.

    messages: MESSAGE_COLUMNS. games: GAME_COLUMNS and trace_path. A message to several agents informs each of them.
    """
    messages = messages.sort("game_id", "event_index")
    known = {game: GameFacts(*facts) for game, *facts in games.select(*GAME_COLUMNS).iter_rows()}
    updates, script = _updates(messages, known, rules)
    game_columns = games.select("game_id", "trace_path", "num_slots")
    message_columns = messages.select("game_id", "event_index", "round")
    message_columns = message_columns.join(game_columns, on="game_id", how="left", maintain_order="left")
    inside = pl.col("slot").is_between(0, pl.col("num_slots") - 1).fill_null(False)
    updates = (
        updates.hstack(message_columns[updates["message"]])
        .with_columns(in_calendar=inside)
        .drop("message", "num_slots")
    )
    rounds = message_columns[script["number"]].select("game_id", "round", "trace_path")
    return updates, script.drop("number").hstack(rounds)


def _updates(
    messages: pl.DataFrame, games: Mapping[str, GameFacts], rules: RuleSet
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """One row per update: RUN_COLUMNS, update_index, slot, evidence. And the public script's beliefs, by the number of
    each round's first message. Raises TraceError for a game with too many."""
    run_rows: list[tuple[Any, ...]] = []
    counts: list[int] = []
    slot_evidence: list[SlotEvidence] = []
    facts, context, current_round, first, script = GameFacts(), RoundContext(), None, 0, ScriptBeliefs()
    delivered: Counter[str] = Counter()
    columns = [messages[name].to_list() for name in MESSAGE_COLUMNS]
    for number, (game, event, round_number, channel, sender, recipients, content) in enumerate(
        zip(*columns, strict=True)
    ):
        if (game, round_number) != current_round:
            facts = games.get(game, GameFacts())
            context, current_round, first = RoundContext(facts.setting), (game, round_number), number
        message = Sent(content, decode_message(content), channel == "dm" and len(recipients) == 1, sender, recipients)
        typed = typed_evidence(message.typed, sender, recipients, context, rules) if message.typed is not None else []
        runs, of_itself = _chosen_runs(message, typed, facts, rules)
        delivered[game] += len(recipients) * sum(len(slots) for _, _, _, slots, _ in runs)
        delivered[game] += script.read(first, message, typed, facts)
        if delivered[game] > limits.DELIVERED_CLAIMS:
            reason = f"more than {limits.DELIVERED_CLAIMS} claims of messages, times their recipients"
            raise TraceError(reason, f".events[{event}].data.content")
        for observer in recipients if runs else ():
            for target, source, strength, slots, clause in runs:
                if of_itself or target != observer:
                    run_rows.append((number, observer, target, source, strength, *clause))
                    counts.append(len(slots))
                    slot_evidence += slots
    return _updates_frame(run_rows, counts, slot_evidence), script.frame()


def _chosen_runs(
    message: Sent, typed_runs: list[EvidenceRun], facts: GameFacts, rules: RuleSet
) -> tuple[list[EvidenceRun], bool]:
    """What a message tells by the rules, and whether they let an agent learn of itself, as the public script does.

    typed_runs: what it tells as a typed message.
    """
    if rules.is_public_script and message.is_script_typed:
        return typed_runs, True
    if rules.english == "release" and (rules.is_public_script or message.typed is None):
        who = message.sender, message.recipients[0], facts.num_agents, facts.num_slots
        return (release_runs(message.content, *who) if message.is_script_english else []), True
    if message.typed is not None:
        return typed_runs, False
    return language_runs(message.content, message.sender, rules, facts.num_slots), False


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
        pl.Series("update_index", _indices_in_message(updates["message"].to_numpy()), pl.Int64),
        pl.Series("slot", slots, pl.Int64),
        pl.Series("evidence", evidence, pl.Float64),
    )


def _indices_in_message(messages: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Each update's index among those of its message, from 0; `messages` has each update's message, in order."""
    rows = np.arange(len(messages))
    first = np.ones(len(messages), bool)
    first[1:] = messages[1:] != messages[:-1]
    return rows - np.maximum.accumulate(np.where(first, rows, 0))


def privacy_frames(
    frames: Frames, rules: RuleSet, weighing: Weighing, wanted: Collection[str] = PRIVACY_TABLES
) -> Frames:
    """The wanted privacy tables, of which there may be none, from frames of games, rounds, messages and calendars.

    wanted: names, with those of the privacy tables that they are made from (MADE_FROM).
    """
    if "belief_evidence" not in wanted:
        return {}
    updates, script = belief_updates(frames["messages"], frames["games"], rules)
    made = {"belief_evidence": beliefs.update_beliefs(updates, weighing)}
    if "pair_round_vps" in wanted or "vps_by_source" in wanted:
        weights = beliefs.slot_weights(frames["calendars"], weighing)
        weighted = beliefs.weigh_updates(made["belief_evidence"], weights)
    if "pair_round_vps" in wanted:
        losses = beliefs.with_script(
            beliefs.pair_losses(weighted, weighing),
            beliefs.weigh_slots(script, beliefs.slot_weights(frames["calendars"], SCRIPT_WEIGHING)),
        )
        made["pair_round_vps"] = beliefs.pair_round_vps(losses, weights, frames["games"], frames["rounds"], weighing)
    if "game_summary" in wanted:
        made["game_summary"] = beliefs.game_summary(made["pair_round_vps"], frames["games"], rules)
    if "vps_by_source" in wanted:
        made["vps_by_source"] = beliefs.vps_by_source(weighted, weighing)
    return made


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
