"""The stages of the study: each module reads, calls pure functions, and writes.

They run in the project's folder, and their places are the study's.
"""

from pathlib import Path
from typing import Any

TRACES = Path("data/traces")
TABLES = Path("data/tables")
RESULTS = Path("data/results")
NUMBERS = Path("data/paper/numbers.csv")


def params(section: str) -> dict[str, Any]:
    """A section of params.yaml."""
    import yaml

    found: dict[str, Any] = yaml.safe_load(Path("params.yaml").read_text(encoding="utf-8"))[section]
    return found
