"""Hypothesis draws the same examples on every run, and minds no clock: a busy machine is slow at everything."""

import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")

# Workers beside each other have a core each.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("POLARS_MAX_THREADS", "1")

# What a file of tests holds if none of them would run, by what is asked for with -m: what it imports is not loaded.
WITHOUT = {"slow": r"(?s)(?!.*mark\.slow)", "not slow": r"(?ms).*^pytestmark = pytest\.mark\.slow$"}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """True for a file in which every test, or none, is slow, where the others are asked for."""
    without = WITHOUT.get(config.option.markexpr)
    if not without or collection_path.suffix != ".py" or not collection_path.name.startswith("test_"):
        return None
    return bool(re.match(without, collection_path.read_text(encoding="utf-8"))) or None
