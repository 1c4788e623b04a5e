"""The built parts of docs/metrics.md: the cards of the metrics, and the table of policies, from the results."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.cards.meanings import FAILURES, OUTCOMES, POLICIES
from pipeline.cards.metrics import CHANGES, METRICS, SAME, Metric
from pipeline.compare import printed
from pipeline.readme import NAMES
from pipeline.statistics.page import table

Rows = list[dict[str, Any]]
KINDS = ("protocols", "speakers")
DECIMALS = 3


def pieces(results: Path) -> dict[str, str]:
    """What stands between the marks of docs/metrics.md."""
    checks = pl.read_csv(results / "metric_checks.csv").rows(named=True)
    policies = pl.read_csv(results / "degenerate.csv").rows(named=True)
    return {
        "changes": table(("change", "what is changed", "what should follow"), [change_row(c) for c in CHANGES]),
        "verdicts": verdict_table(checks),
        "cards": "\n\n".join(card(metric, checks, policies) for metric in METRICS),
        "policies": table(("policy", "what it does"), [(f"`{name}`", does) for name, does in POLICIES.items()]),
        "outcomes": "\n\n".join(outcome_table(setting, policies) for setting in ("uniform", "varied")),
    }


def change_row(change: Any) -> tuple[str, str, str]:
    """A change, and what should become of the metrics."""
    titles = {metric.column: metric.title for metric in METRICS}
    other = [f"{titles[column]} {expected}" for column, expected in change.expected.items()]
    rest = f"every {'other ' * bool(other)}metric {SAME}"
    return change.name, change.meaning, "; ".join([*other, rest])


def verdict_table(checks: Rows) -> str:
    """One row a change, one column a metric: passes, or fails for whom."""
    rows = [(change.name, *(verdict(change.name, m.column, checks) for m in METRICS)) for change in CHANGES]
    return table(("change", *(m.title for m in METRICS)), rows)


def verdict(change: str, metric: str, checks: Rows) -> str:
    """Whether the metric passes the check in every game, or in how many of which teams it fails."""
    failed = failures(change, metric, checks)
    return "; ".join(f"**fails** {r['games'] - r['holds']}/{r['games']} {r['kind']}" for r in failed) or "passes"


def failures(change: str, metric: str, checks: Rows) -> Rows:
    """The rows of the change and metric in which some game fails, protocols first."""
    found = [r for r in checks if (r["change"], r["metric"]) == (change, metric) and r["holds"] < r["games"]]
    return sorted(found, key=lambda r: KINDS.index(r["kind"]))


def card(metric: Metric, checks: Rows, policies: Rows) -> str:
    """A metric: what it is, which checks it fails and what that means, and which unwanted policies win it."""
    lines = [f"### {metric.title}", "", f"`{metric.column}`: {metric.definition} ({metric.source})."]
    told = [*failed_lines(metric, checks), *won_lines(metric, policies)]
    return "\n".join([*lines, "", *(told or ["- It passes every check, and no policy below wins it."])])


def failed_lines(metric: Metric, checks: Rows) -> Iterator[str]:
    """One line a failed check: what it means for a reader, and the game in which it is off by most."""
    for change in CHANGES:
        failed = failures(change.name, metric.column, checks)
        if failed:
            worst = max(failed, key=lambda r: abs((r["after"] or 0.0) - (r["before"] or 0.0)))
            figures = f"{figure(worst['before'])} → {figure(worst['after'])}"
            yield f"- **{change.name}** ({figures} at most). {FAILURES[metric.column, change.name]}"


def won_lines(metric: Metric, policies: Rows) -> Iterator[str]:
    """One line for the policies that win the metric, and one for those that it does not rank."""
    for outcome, words in (("wins", "Won by"), ("undefined", "Undefined for")):
        names = [f"`{p}`" for p in POLICIES if any(is_of(r, p, metric, outcome) for r in policies)]
        if names:
            yield f"- {words} {', '.join(names)}. {OUTCOMES[metric.column, outcome]}"


def is_of(row: dict[str, Any], policy: str, metric: Metric, outcome: str) -> bool:
    return (row["policy"], row["metric"], row["outcome"]) == (policy, metric.column, outcome)


def outcome_table(setting: str, policies: Rows) -> str:
    """One row a policy, one column a metric; what wins is bold. The last row is the best of the four protocols."""
    cells = {(r["policy"], r["metric"]): r for r in policies if r["setting"] == setting}
    rows = [(f"`{p}`", *(outcome(cells[p, m.column]) for m in METRICS)) for p in POLICIES]
    best = [next(r for r in cells.values() if r["metric"] == m.column) for m in METRICS]
    last = ("best protocol", *(f"{figure(r['best'])} ({NAMES[r['best_protocol']]})" for r in best))
    return table((setting, *(m.title for m in METRICS)), [*rows, last])


def outcome(row: dict[str, Any]) -> str:
    """A policy's figure, bold where it wins."""
    if row["outcome"] == "undefined":
        return "–"
    return f"**{figure(row['value'])}**" if row["outcome"] == "wins" else figure(row["value"])


def figure(value: float | None) -> str:
    """A figure at three decimals, without zeros at its end."""
    if value is None:
        return "undefined"
    text = printed(value, DECIMALS).rstrip("0").rstrip(".")
    return text.replace("-", "−")
