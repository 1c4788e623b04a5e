"""The study's numbers that agents play by, from params.yaml."""

from __future__ import annotations

from functools import cache
from typing import Any

from machine.files import PROJECT

PARAMETERS = PROJECT / "params.yaml"


@cache
def study_parameters() -> dict[str, dict[str, Any]]:
    """Each section of params.yaml by its name, in the file's order; none where there is no such file."""
    import yaml

    if not PARAMETERS.exists():
        return {}
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return dict(yaml.load(PARAMETERS.read_text(encoding="utf-8"), Loader=loader))
