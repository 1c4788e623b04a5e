"""What participants of secure sums can conclude beyond what they are told: from how many totals they were asked for.

Who is asked for further totals knows that no slot has one of those before, and when a slot is chosen, that it has one
of those asked for last: beside its own cost there, that tells much of the others'. The initiator is told more.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.beyond.frontier.points import bits_of
from pipeline.beyond.leakage.gains import additions
from pipeline.beyond.leakage.measure import (
    Tables,
    mean_over_pairs,
    of_games,
    read_tables,
    setting_parts,
    slot_histories,
)
from pipeline.beyond.leakage.observed_statements import STATEMENT, Contents, Row, news, observed_statements
from pipeline.privacy.protocols.kinds import Statement
from pipeline.privacy.protocols.states import States
from pipeline.privacy.protocols.sums import larger_sum_likelihood, sum_distribution, sum_likelihood
from pipeline.traces.typed_messages import decode_message
from pipeline.traces.typed_messages.records import Masked, NamedSlot


def bits_with_inferences(tables: Tables, settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per game: `bits` as leakage has them, had all participants of secure sums drawn that conclusion.

    settings: the `leakage` block of notebooks/beyond/params.yaml.
    """
    parts = []
    for part, prior in setting_parts(tables, settings):
        history = slot_histories(part, prior)
        observed, contents = observed_statements(part["messages"], part["belief_evidence"], history, prior.states)
        rows = pl.DataFrame(list(_inferred_statements(part["messages"], contents)), schema=STATEMENT, orient="row")
        added = additions(pl.concat([observed, news(rows, history)]), contents.likelihoods, prior, settings["least"])
        parts.append(mean_over_pairs(added, part["games"], ["bits"]))
    return pl.concat(parts)


def _inferred_statements(messages: pl.DataFrame, contents: Contents) -> Iterator[Row]:
    """What each participant infers of each other one's slots when it is told the choice: rows of STATEMENT."""
    names = ("game_id", "round", "from_agent", "to_agents", "content")
    asked: dict[tuple[str, int, int], Masked] = {}
    for game, number, sender, recipients, content in messages.sort("game_id", "event_index").select(names).iter_rows():
        typed = decode_message(content)
        if typed and isinstance(typed.record, Masked):
            asked[game, number, sender] = typed.record
        if typed and typed.source == "secure_decision" and isinstance(typed.record, NamedSlot):
            for observer in recipients:
                last = asked[game, number, observer]
                for target, slot, likelihood in inferences(last, typed.record.slot, contents.states):
                    yield game, number, observer, target, slot, contents.number(likelihood), number


def inferences(last: Masked, chosen: int | None, states: States) -> Iterator[Statement]:
    """The statements that follow for each participant's slots: the chosen one has one of the totals that were asked for
    last, and no slot has a lower one."""
    parties, totals = last.parties, last.totals
    lower = [total for total in sum_distribution(states, len(parties)) if total is not None and total < min(totals)]
    not_lower = larger_sum_likelihood(max(lower), len(parties), states) if lower else states.likelihood(lambda _: 1.0)
    one_of_last = sum((sum_likelihood(total, len(parties), states) for total in totals), 0.0 * not_lower)
    for target in parties:
        for slot in range(len(last.values[0])):
            yield target, slot, one_of_last if slot == chosen else not_lower


def priors(settings: Mapping[str, Any]) -> Iterator[tuple[float, float]]:
    """(P(feasible), share of feasible slots with an errand): the stated ones, and each of the others in turn."""
    stated, others = (settings["feasible"], settings["filled"]), settings["sensitivity"]
    changed = [(f, stated[1]) for f in others["feasible"]] + [(stated[0], f) for f in others["filled"]]
    yield from dict.fromkeys([stated, *changed])


def games_of_teams(folders: Mapping[Path, Sequence[str]]) -> dict[str, pl.DataFrame]:
    """The tables of some teams' standard games, from several folders of derived tables."""
    parts = []
    for folder, teams in folders.items():
        tables = read_tables(folder)
        games = tables["games"].filter(pl.col("team").is_in(teams), condition="standard")
        parts.append(of_games(tables, games))
    return {name: pl.concat([part[name] for part in parts]) for name in parts[0]}


def by_prior(tables: Tables, baseline: str, settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per prior, setting and team: frontier_priors."""
    parts = []
    for feasible, filled in priors(settings):
        under_prior = {**settings, "feasible": feasible, "filled": filled}
        concluded = bits_with_inferences(tables, under_prior).rename({"bits": "bits_concluded"})
        games = bits_of(tables, under_prior).join(concluded, on="game_id")
        means = games.group_by("setting", "team").agg(pl.col("bits", "bits_concluded").sort().mean())
        base = means.filter(team=baseline).select("setting", base="bits")
        shares = means.join(base, on="setting").with_columns(
            share=pl.col("bits") / pl.col("base"), share_concluded=pl.col("bits_concluded") / pl.col("base")
        )
        parts.append(shares.with_columns(feasible=pl.lit(feasible), filled=pl.lit(filled)))
    return pl.concat(parts)
