"""What goes beyond the paper: a package for each area, and the second reader of English messages (judge).

Each area has a stage that reads tables and writes those of its schemas.py. Stages run in the project's folder.
"""

from pathlib import Path
from typing import Any

from machine.files import of_project

TRACES = Path("data/beyond/traces")
DERIVED = Path("data/beyond/derived")
TABLES = Path("data/beyond/tables")
PARAMS = Path("notebooks/beyond/params.yaml")


def params(section: str) -> dict[str, Any]:
    """A section of notebooks/beyond/params.yaml: of the current folder, or else the project's own."""
    import yaml

    sections: dict[str, dict[str, Any]] = yaml.safe_load(of_project(PARAMS).read_text(encoding="utf-8"))
    return sections[section]
