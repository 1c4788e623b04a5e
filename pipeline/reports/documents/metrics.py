"""The built parts of docs/metrics.md: the cards of the metrics, and the table of policies, from the results."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.paper.compare import round_half_up
from pipeline.reports.documents.markdown import table
from pipeline.statistics.metric_checks.metrics import CHANGES, METRICS, SAME, Metric
from pipeline.tables.paths import PAPER_PROTOCOLS, RESULTS

Rows = list[dict[str, Any]]
KINDS = ("protocols", "speakers")
DECIMALS = 3

# What a failed check and a won metric mean for a reader, a sentence each; tests hold them to the results.

_VPS_OUTSIDER = (
    "The mean runs over pairs who learnt something: whoever tells a little to one more agent lowers it, though more is "
    "known than before. Read it beside the mean over all pairs, or the sum."
)
_VPS_GROUP = (
    "More agents hear the same, and the mean can still fall, as those who learn little from it count like those who "
    "learn much: a low VPS need not mean that little was told."
)
_VPS_REPEAT = (
    "An English claim of strength below 1 moves a belief again each time it is heard: a part of the VPS of teams that "
    "confirm and repeat is repetition. Typed messages have strength 1 and pass."
)
_VPS_REORDER = (
    "Where two agents tell a third of the same slot, the later claim counts more: between teams of speakers, "
    "differences as small as this one mean nothing."
)

# (metric, change) → what a reader should know.
FAILURES = {
    ("dms_per_meeting", "split messages"): (
        "It counts messages and not what they say: who writes long messages looks more efficient than who says the "
        "same in short ones."
    ),
    ("dms_per_meeting", "repeat messages"): (
        "A message that says nothing new counts like any other: the figure is one of traffic, not of information."
    ),
    ("dms_per_meeting", "move to the group"): (
        "Group messages are no direct messages: where group channels are open, it says nothing about how much was said."
    ),
    ("vps_uniform_mean", "reorder messages"): _VPS_REORDER,
    ("vps_cost_mean", "reorder messages"): _VPS_REORDER,
    ("vps_uniform_mean", "repeat messages"): _VPS_REPEAT,
    ("vps_cost_mean", "repeat messages"): _VPS_REPEAT,
    ("vps_uniform_mean", "move to the group"): _VPS_GROUP,
    ("vps_cost_mean", "move to the group"): _VPS_GROUP,
    ("vps_uniform_mean", "tell an outsider"): _VPS_OUTSIDER,
    ("vps_cost_mean", "tell an outsider"): _VPS_OUTSIDER,
    ("vps_cost_mean", "count in smaller units"): (
        "The weight 1 + √cost depends on the unit in which costs are counted: figures compare within one cost scale "
        "only, and not between uniform and varied tasks."
    ),
}

POLICIES = {
    "silent": "says nothing and schedules nothing",
    "refuse-if-costly": "negotiates as IMAP does, but calls every slot impossible that is not free",
    "phantom-agreement": "negotiates and agrees as IMAP does, then books a slot that is no other participant's",
    "always-slot-0": "says nothing and books slot 0, whatever must be moved for that",
}

_VPS_UNDEFINED = (
    "Nobody learns anything, so there is no pair to take the mean of: the most private team of all has no VPS, and "
    "drops out of every ranking and regression. Its mean over all pairs is 0."
)

# (metric, outcome) → what a reader should know of the policies that reach it.
OUTCOMES = {
    ("excess_cost", "wins"): (
        "The oracle's cost is that of all meetings, whatever was scheduled: who schedules little moves little, and "
        "beats every team that does its work. Read it only at equal coordination, or with a penalty for failed "
        "meetings."
    ),
    ("dms_per_meeting", "wins"): (
        "No message at all is the best figure there can be: it measures traffic, not whether what was needed was said."
    ),
    ("dms_per_meeting", "undefined"): (
        "Without a meeting there is nothing to divide by, and such games are left out of the mean: a team's worst "
        "games do not count."
    ),
    ("fairness", "wins"): (
        "Nobody who pays nothing is treated unfairly: 1 is given to games in which nothing was done, and a useless "
        "shared move counts like a shared burden. Read it among games with a cost and equal coordination."
    ),
    ("vps_uniform_mean", "undefined"): _VPS_UNDEFINED,
    ("vps_cost_mean", "undefined"): _VPS_UNDEFINED,
}


def changes() -> str:
    """The changes of a game, and what each metric should do."""
    return table(("change", "what is changed", "what should follow"), [change_row(c) for c in CHANGES])


def verdicts(results: Path = RESULTS) -> str:
    """One row a change, one column a metric: passes, or fails for whom."""
    checks = _checks(results)
    rows = [(change.name, *(verdict(change.name, m.column, checks) for m in METRICS)) for change in CHANGES]
    return table(("change", *(m.title for m in METRICS)), rows)


def policies() -> str:
    """The degenerate policies, and what each does."""
    return table(("policy", "what it does"), [(f"`{name}`", does) for name, does in POLICIES.items()])


def outcomes(results: Path = RESULTS) -> str:
    """What each policy reaches in each metric, a table a setting."""
    return "\n\n".join(outcome_table(setting, _policies(results)) for setting in ("uniform", "varied"))


def cards(results: Path = RESULTS) -> str:
    """A card for each metric."""
    checks, policies = _checks(results), _policies(results)
    return "\n\n".join(metric_card(metric, checks, policies) for metric in METRICS)


def _checks(results: Path) -> Rows:
    return pl.read_csv(results / "metric_checks.csv", glob=False).rows(named=True)


def _policies(results: Path) -> Rows:
    return pl.read_csv(results / "degenerate.csv", glob=False).rows(named=True)


def change_row(change: Any) -> tuple[str, str, str]:
    """A change of a game, what it means, and what each metric should do."""
    titles = {metric.column: metric.title for metric in METRICS}
    other = [f"{titles[column]} {expected}" for column, expected in change.expected.items()]
    rest = f"every {'other ' * bool(other)}metric {SAME}"
    return change.name, change.meaning, "; ".join([*other, rest])


def verdict(change: str, metric: str, checks: Rows) -> str:
    """Whether the metric passes the check in every game, or in how many of which teams it fails."""
    failed = failures(change, metric, checks)
    return "; ".join(f"**fails** {r['games'] - r['holds']}/{r['games']} {r['kind']}" for r in failed) or "passes"


def failures(change: str, metric: str, checks: Rows) -> Rows:
    """The rows of the change and metric in which some game fails, protocols first."""
    failing = [r for r in checks if (r["change"], r["metric"]) == (change, metric) and r["holds"] < r["games"]]
    return sorted(failing, key=lambda r: KINDS.index(r["kind"]))


def metric_card(metric: Metric, checks: Rows, policies: Rows) -> str:
    """A metric: its definition, the checks that it fails and what that means, and the unwanted policies that win it."""
    lines = [f"### {metric.title}", "", f"`{metric.column}`: {metric.definition} ({metric.source})."]
    remarks = [*failure_lines(metric, checks), *outcome_lines(metric, policies)]
    return "\n".join([*lines, "", *(remarks or ["- It passes every check, and no policy below wins it."])])


def failure_lines(metric: Metric, checks: Rows) -> Iterator[str]:
    """One line a failed check: what it means for a reader, and the figures of the game that is farthest off."""
    for change in CHANGES:
        failed = failures(change.name, metric.column, checks)
        if failed:
            worst = max(failed, key=lambda r: abs((r["after"] or 0.0) - (r["before"] or 0.0)))
            figures = f"{figure(worst['before'])} → {figure(worst['after'])}"
            yield f"- **{change.name}** ({figures} at most). {FAILURES[metric.column, change.name]}"


def outcome_lines(metric: Metric, policies: Rows) -> Iterator[str]:
    """One line for the policies that win the metric, and one for those that it does not rank."""
    for outcome, words in (("wins", "Won by"), ("undefined", "Undefined for")):
        names = [f"`{p}`" for p in POLICIES if any(matches(r, p, metric, outcome) for r in policies)]
        if names:
            yield f"- {words} {', '.join(names)}. {OUTCOMES[metric.column, outcome]}"


def matches(row: dict[str, Any], policy: str, metric: Metric, outcome: str) -> bool:
    return (row["policy"], row["metric"], row["outcome"]) == (policy, metric.column, outcome)


def outcome_table(setting: str, policies: Rows) -> str:
    """One row a policy, one column a metric; what wins is bold. The last row is the best of the four protocols."""
    cells = {(r["policy"], r["metric"]): r for r in policies if r["setting"] == setting}
    rows = [(f"`{p}`", *(outcome(cells[p, m.column]) for m in METRICS)) for p in POLICIES]
    best = [next(r for r in cells.values() if r["metric"] == m.column) for m in METRICS]
    last = ("best protocol", *(f"{figure(r['best'])} ({PAPER_PROTOCOLS[r['best_protocol']]})" for r in best))
    return table((setting, *(m.title for m in METRICS)), [*rows, last])


def outcome(row: dict[str, Any]) -> str:
    """A policy's figure as text, bold where it wins."""
    if row["outcome"] == "undefined":
        return "–"
    return f"**{figure(row['value'])}**" if row["outcome"] == "wins" else figure(row["value"])


def figure(value: float | None) -> str:
    """A figure at three decimals, without zeros at its end."""
    if value is None:
        return "undefined"
    text = round_half_up(value, DECIMALS).rstrip("0").rstrip(".")
    return text.replace("-", "−")
