"""Word lists, as data: what each word counts for when a message is searched."""

from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@cache
def words(name: str) -> Any:
    """The content of a list's YAML file."""
    import yaml

    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
