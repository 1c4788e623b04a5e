"""Traces to what happened: games, rounds, agents, messages, moves, calendars; in the study nothing may be rejected."""

import sys
from pathlib import Path

from pipeline.derive.parallel import Recipe, derive
from pipeline.tables.io import write_json
from pipeline.tables.paths import RESULTS, TABLES, TRACES
from pipeline.traces.ingest import TABLES as INGESTED
from pipeline.traces.limits import printable


def main(traces: Path = TRACES, out: Path = TABLES) -> None:
    derived = derive([traces], out, Recipe(tables=INGESTED, csv=False))
    for path, reason, place in derived.rejected:
        print(f"rejected {printable(path)}: {printable(f'{reason} at {place}')}", file=sys.stderr)
    if derived.rejected:
        sys.exit(1)
    write_json(derived.shapes, RESULTS / "shapes_ingest.json")
    print(f"{derived.games} games in {out}")


if __name__ == "__main__":
    main()
