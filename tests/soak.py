"""A soak: games fuzzed, traces mutated, runs killed and their steps made to fail for some minutes, on all cores:
`python -m tests.soak`.

Every unit of work has a name, `soak RUN:KIND:NUMBER`, that seeds all it draws: `--only NAME` does one again. Exit code
1 where anything was lost.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import count
from multiprocessing import active_children, get_context

from machine.cores import cores
from tests.soak_units import UNITS, Outcome, perform

# Of nine units one kills runs, and one fails their steps: they take as long as the others together.
CYCLE = ("kills", "games", "traces", "games", "faults", "traces", "games", "traces", "games")
# The longest that a unit of each kind takes on a slow machine: none begins that might not end in time.
SECONDS = {"kills": 90.0, "games": 20.0, "traces": 20.0, "faults": 120.0}


def names(run: int) -> Iterator[tuple[str, str]]:
    """(kind, name) of each unit of a run, without end."""
    for number in count():
        kind = CYCLE[number % len(CYCLE)]
        yield kind, f"soak {run}:{kind}:{number}"


def soak(run: int, minutes: float) -> Iterator[Outcome]:
    """The outcome of every unit that the time allows, as they end."""
    until, coming = time.monotonic() + 60 * minutes, names(run)
    context = get_context("spawn")
    with ProcessPoolExecutor(cores(), mp_context=context) as pool:
        running: set[Future[Outcome]] = set()
        while True:
            left = until - time.monotonic()
            while len(running) < cores() and left > min(SECONDS.values()):
                kind, name = next(coming)
                if left > SECONDS[kind]:
                    running.add(pool.submit(perform, name))
            if not running:
                return
            done, running = wait(running, timeout=max(1.0, left), return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
            if until - time.monotonic() < -5:
                for worker in active_children():
                    worker.kill()
                raise SystemExit("error: a unit takes longer than the soak; nothing is written")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0, help="no longer than this; one at least [10]")
    parser.add_argument("--run", type=int, default=1, help="the run's number, which seeds it [1]")
    parser.add_argument("--only", metavar="NAME", help="one unit, by its name")
    asked = parser.parse_args()
    if asked.only and [*asked.only.split(":"), "", ""][1] not in UNITS:
        parser.error(f"{asked.only!r} is no unit's name, such as 'soak 1:games:3'; kinds: {', '.join(UNITS)}")
    if asked.minutes < 1:
        parser.error("a soak takes a minute at least")
    # All that the units make goes with the soak.
    os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="soak-")
    tempfile.tempdir = None
    try:
        return report([perform(asked.only)] if asked.only else soak(asked.run, asked.minutes))
    finally:
        shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)


def report(outcomes: Iterator[Outcome] | list[Outcome]) -> int:
    """Print each loss when it comes, and the figures at the end. Returns the exit code."""
    counts: Counter[str] = Counter()
    losses = 0
    for outcome in outcomes:
        counts.update(outcome.counts)
        losses += len(outcome.losses)
        for loss in outcome.losses:
            print(f"LOST {loss}", file=sys.stderr, flush=True)
    print(", ".join(f"{number:,} {what}" for what, number in counts.items()), f"{losses} losses", sep="; ")
    return 1 if losses else 0


if __name__ == "__main__":
    sys.exit(main())
