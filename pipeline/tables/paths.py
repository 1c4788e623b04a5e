"""Where the study keeps what it reads and writes, from the project's folder, and its parameters."""

from pathlib import Path
from typing import Any

TRACES = Path("data/traces")
TABLES = Path("data/tables")
RESULTS = Path("data/results")
NUMBERS = Path("data/paper/numbers.csv")
PARAMS = Path("params.yaml")


def params(section: str) -> dict[str, Any]:
    """A section of params.yaml."""
    import yaml

    sections: dict[str, dict[str, Any]] = yaml.safe_load(PARAMS.read_text(encoding="utf-8"))
    return sections[section]
