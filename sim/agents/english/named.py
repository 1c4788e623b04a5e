"""The named styles: parameters as data, in `params.yaml` under `styles`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

PARAMETERS = Path(__file__).parents[3] / "params.yaml"


@cache
def named_styles() -> dict[str, dict[str, Any]]:
    """The parameters of each named style, in the file's order; none where there is no such file."""
    import yaml

    if not PARAMETERS.exists():
        return {}
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    content = yaml.load(PARAMETERS.read_text(encoding="utf-8"), Loader=loader)
    return dict(content.get("styles") or {})
