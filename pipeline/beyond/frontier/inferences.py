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
from pipeline.beyond.leakage.histories import histories
from pipeline.beyond.leakage.measure import Tables, of_settings, over_pairs, read_tables
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
    for _, part, prior in of_settings(tables, settings):
        past = histories(part["games"], part["rounds"], part["items"], part["moves"], prior.states)
        observed, contents = observed_statements(part["messages"], part["belief_evidence"], past, prior.states)
        rows = pl.DataFrame(list(_inferred(part["messages"], contents)), schema=STATEMENT, orient="row")
        added = additions(pl.concat([observed, news(rows, past)]), contents.likelihoods, prior, settings["least"])
        parts.append(over_pairs(added, part["games"], ["bits"]))
    return pl.concat(parts)


def _inferred(messages: pl.DataFrame, contents: Contents) -> Iterator[Row]:
    """What each participant infers of each other one's slots when it is told the choice."""
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
    """The chosen slot has one of the totals that were asked for last, and no slot a lower one."""
    parties, totals = last.parties, last.totals
    lower = [total for total in sum_distribution(states, len(parties)) if total is not None and total < min(totals)]
    rest = larger_sum_likelihood(max(lower), len(parties), states) if lower else states.likelihood(lambda _: 1.0)
    of_chosen = sum((sum_likelihood(total, len(parties), states) for total in totals), 0.0 * rest)
    for target in parties:
        for slot in range(len(last.values[0])):
            yield target, slot, of_chosen if slot == chosen else rest


def priors(settings: Mapping[str, Any]) -> Iterator[tuple[float, float]]:
    """(P(feasible), share of feasible slots with an errand): the stated ones, and each of the others in turn."""
    stated, others = (settings["feasible"], settings["filled"]), settings["sensitivity"]
    changed = [(f, stated[1]) for f in others["feasible"]] + [(stated[0], f) for f in others["filled"]]
    yield from dict.fromkeys([stated, *changed])


def games_of_teams(folders: Mapping[Path, Sequence[str]]) -> dict[str, pl.DataFrame]:
    """The tables of some teams' standard games, from several folders of derived tables."""
    parts = []
    for folder, teams in folders.items():
        read = read_tables(folder)
        games = read["games"].filter(pl.col("team").is_in(teams), condition="standard")
        others = {n: f.join(games, on="game_id", how="semi", maintain_order="left") for n, f in read.items()}
        parts.append(others | {"games": games})
    return {name: pl.concat([part[name] for part in parts]) for name in parts[0]}


def by_prior(tables: Tables, baseline: str, settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per prior, setting and team: frontier_priors."""
    found = []
    for feasible, filled in priors(settings):
        beliefs = {**settings, "feasible": feasible, "filled": filled}
        more = bits_with_inferences(tables, beliefs).rename({"bits": "bits_concluded"})
        games = bits_of(tables, beliefs).join(more, on="game_id")
        means = games.group_by("setting", "team").agg(pl.col("bits", "bits_concluded").sort().mean())
        base = means.filter(team=baseline).select("setting", base="bits")
        shares = means.join(base, on="setting").with_columns(
            share=pl.col("bits") / pl.col("base"), share_concluded=pl.col("bits_concluded") / pl.col("base")
        )
        found.append(shares.with_columns(feasible=pl.lit(feasible), filled=pl.lit(filled)))
    return pl.concat(found)
