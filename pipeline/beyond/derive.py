"""Derive the tables of an area's own games from their traces: `python -m pipeline.beyond.derive AREA`."""

import sys

from pipeline.beyond import DERIVED, TRACES
from pipeline.derive.parallel import Recipe, derive
from pipeline.traces.limits import printable


def main(area: str) -> None:
    derived = derive([TRACES / area], DERIVED / area, Recipe(csv=False))
    for path, reason, place in derived.rejected:
        print(f"rejected {printable(path)}: {printable(f'{reason} at {place}')}", file=sys.stderr)
    if derived.rejected:
        sys.exit(1)
    print(f"{derived.games} games in {DERIVED / area}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m pipeline.beyond.derive AREA (a folder of data/beyond/traces)")
    main(sys.argv[1])
