"""The data of a site's pages, and pages found by it."""

import json
import re
from pathlib import Path
from typing import Any


def page_data(path: Path) -> Any:
    """The data that a file passes to its page."""
    arguments = re.fullmatch(r"calbench\.\w+\((.*)\);\n", path.read_text(encoding="utf-8"), re.DOTALL)
    assert arguments, path
    return json.loads(f"[{arguments[1]}]")[-1]


def page_of(site: Path, **wanted: object) -> Path:
    """The page of the first game whose data has all these values. Raises LookupError where none has."""
    for path in sorted((site / "games").glob("*.js")):
        game = page_data(path)["game"]
        if all(game[name] == value for name, value in wanted.items()):
            return path.with_suffix(".html")
    raise LookupError(wanted)
