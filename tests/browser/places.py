"""Where the games of a site are: its own data, read as its pages read it."""

import json
import re
from pathlib import Path
from typing import Any


def told(path: Path) -> Any:
    """What a data file hands to its page."""
    arguments = re.fullmatch(r"calbench\.\w+\((.*)\);\n", path.read_text(encoding="utf-8"), re.DOTALL)
    assert arguments, path
    return json.loads(f"[{arguments[1]}]")[-1]


def page_of(site: Path, **wanted: object) -> Path:
    """The page of the first game, by its data's `game`, that has all that is wanted."""
    for path in sorted((site / "games").glob("*.js")):
        game = told(path)["game"]
        if all(game[name] == value for name, value in wanted.items()):
            return path.with_suffix(".html")
    raise LookupError(wanted)
