"""Metric checks: games changed in ways that should not matter, and policies nobody would want, through every metric."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from pipeline.derive.parallel import Recipe
from pipeline.privacy.rules import chosen_rules, chosen_weighing
from pipeline.statistics.metric_checks.checks import check_games, verdict_table
from pipeline.statistics.metric_checks.policies import compare_with_protocols, derive_table1
from pipeline.tables.paths import RESULTS, TRACES, params
from pipeline.tables.queries import write_result
from pipeline.traces.sources import find_sources, read_texts

POLICIES = Path("data/degenerate.jsonl.zst")


def main(traces: Path = TRACES / "standard", policies: Path = POLICIES, results: Path = RESULTS) -> None:
    vps = params("vps")
    rules = chosen_rules(vps)
    weighing = chosen_weighing(vps)
    cases = list(check_games(sample_games(traces, params("cards")["every"]), rules, weighing))
    print(write_result(verdict_table(cases), "metric_checks", results))
    table1 = derive_table1(policies, Recipe(rules, weighing, csv=False))
    comparison = compare_with_protocols(table1, pl.read_csv(results / "table1.csv", glob=False))
    print(write_result(comparison, "degenerate", results))


def sample_games(traces: Path, every: int) -> Iterator[dict[str, Any]]:
    """The first of each team's games in the folder, and then every `every`-th, as JSON. One file has a team's games."""
    for source in find_sources([traces]):
        for number, (_, text) in enumerate(read_texts(source)):
            if number % every == 0 and isinstance(text, bytes):
                yield msgspec.json.decode(text)


if __name__ == "__main__":
    main()
