"""What goes beyond the paper: a frontier of protocols, leakage in bits, a ladder of excess, optima, worlds, strategy.

One package an area, each with a stage that reads tables and writes tables. They run in the project's folder.
"""

from pathlib import Path
from typing import Any

TRACES = Path("data/beyond/traces")
DERIVED = Path("data/beyond/derived")
TABLES = Path("data/beyond/tables")
PARAMS = Path("notebooks/beyond/params.yaml")


def params(section: str) -> dict[str, Any]:
    """A section of notebooks/beyond/params.yaml."""
    import yaml

    found: dict[str, Any] = yaml.safe_load(PARAMS.read_text(encoding="utf-8"))[section]
    return found
