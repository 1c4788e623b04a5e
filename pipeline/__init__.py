"""Traces of games in, tables of what happened and what it cost in privacy out.

Nine rooms, in the order in which data flows; each imports only from those before it: tables, traces, privacy,
behaviour, derive, statistics, paper, reports, beyond.
"""

import os
from importlib import import_module
from typing import Any

import machine as machine

# Sums must not depend on how many threads a machine has, and on small matrices threads only wait for each other.
# NumPy's libraries read this when they are loaded, which here is always later.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

# What `from pipeline import …` offers beside rooms → its module, which is loaded when it is asked for.
OFFERED = {"Tables": "pipeline.reports.library"}


def __getattr__(name: str) -> Any:
    """What OFFERED names. Raises AttributeError for anything else."""
    if name not in OFFERED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(OFFERED[name]), name)
