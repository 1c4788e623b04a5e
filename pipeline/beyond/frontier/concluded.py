"""What participants of secure sums can conclude beyond what they are told: from how many totals they were asked for.

Who is asked for further totals knows that no slot has one of those before, and when a slot is chosen, that it has one
of those asked for last: beside its own cost there, that tells much of the others'. The initiator is told more.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from pipeline.beyond.leakage.histories import histories
from pipeline.beyond.leakage.leaked import additions
from pipeline.beyond.leakage.measure import Tables, of_settings, over_pairs
from pipeline.beyond.leakage.told import TOLD, Contents, Line, news, told
from pipeline.likelihood.joint import above, coming_to, sums
from pipeline.likelihood.states import States, Vector
from pipeline.payloads import read_payload


def concluded(tables: Tables, settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per game: `bits` as leakage has them, had all participants of secure sums drawn that conclusion.

    settings: the `leakage` block of notebooks/beyond/params.yaml.
    """
    parts = []
    for _, part, prior in of_settings(tables, settings):
        past = histories(part["games"], part["rounds"], part["items"], part["moves"], prior.states)
        facts, contents = told(part["messages"], part["belief_evidence"], past, prior.states)
        lines = pl.DataFrame(list(_lines(part["messages"], contents)), schema=TOLD, orient="row")
        added = additions(pl.concat([facts, news(lines, past)]), contents.likelihoods, prior, settings["least"])
        parts.append(over_pairs(added, part["games"], ["bits"]))
    return pl.concat(parts)


def _lines(messages: pl.DataFrame, contents: Contents) -> Iterator[Line]:
    """What each participant concludes of each other one's slots when it is told the choice."""
    names = ("game_id", "round", "from_agent", "to_agents", "content")
    asked: dict[tuple[str, int, int], dict[str, Any]] = {}
    for game, number, sender, recipients, content in messages.sort("game_id", "event_index").select(names).iter_rows():
        payload = read_payload(content)
        if payload is None or payload.protocol != "secure":
            continue
        if payload.kind == "masked":
            asked[game, number, sender] = payload.body
        if payload.kind == "decision":
            for observer in recipients:
                last = asked[game, number, observer]
                for target, slot, likelihood in conclusions(last, payload.body["slot"], contents.states):
                    yield game, number, observer, target, slot, contents.number(likelihood), number


def conclusions(last: Mapping[str, Any], chosen: int, states: States) -> Iterator[tuple[int, int, Vector]]:
    """(target, slot, likelihood): the chosen slot has one of the totals that were asked for last, no slot a lower."""
    parties, totals = last["parties"], last["totals"]
    lower = [total for total in sums(states, len(parties)) if total is not None and total < min(totals)]
    rest = above(max(lower), len(parties), states) if lower else states.likelihood(lambda _: 1.0)
    of_chosen = sum((coming_to(total, len(parties), states) for total in totals), 0.0 * rest)
    for target in parties:
        for slot in range(len(last["values"][0])):
            yield target, slot, of_chosen if slot == chosen else rest
