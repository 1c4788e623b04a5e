"""A piece of work that never changes, timed in each run: figures as multiples of it compare between machines.

Half of it is what games are made of (Python objects), half is what tables are made of (sorting and hashing columns).
"""

import json
import time
from statistics import median

ROUNDS = 5


def calibration() -> float:
    """Seconds of CPU of one run of the kernel on one core: the median of several."""
    return median(_timed() for _ in range(ROUNDS))


def _timed() -> float:
    begun = time.process_time()
    _objects()
    _columns()
    return time.process_time() - begun


def _objects() -> None:
    """Records made, sorted, counted, and written and read as JSON."""
    records = [
        {"slot": i * 7919 % 16, "agent": i % 5, "cost": i * 31 % 1000, "text": f"slot {i % 97}"} for i in range(60_000)
    ]
    records.sort(key=lambda r: (r["cost"], r["slot"]))
    costs: dict[object, int] = {}
    for record in records:
        costs[record["agent"]] = costs.get(record["agent"], 0) + int(str(record["cost"]))
    json.loads(json.dumps(records))


def _columns() -> None:
    """A million numbers sorted and summed by key."""
    import numpy as np

    values = (np.arange(1_000_000, dtype=np.int64) * 7_919) % 1_000_003
    order = np.argsort(values, kind="stable")
    np.add.reduceat(values[order], np.arange(0, len(values), 16))
    np.unique(values % 5_003, return_inverse=True)
