"""What goes beyond the paper: one module or package per area, and the second reader of English messages (judge).

An area declares its tables (TABLES) and writes them; it runs in the project's folder.
"""

from pathlib import Path
from typing import Any

from machine.files import of_project

TRACES = Path("data/beyond/traces")
DERIVED = Path("data/beyond/derived")
TABLES = Path("data/beyond/tables")


def params(section: str) -> dict[str, Any]:
    """A section of notebooks/beyond/params.yaml: of the current folder, or else the project's own.

    Raises ValueError, in one line, where the file holds what no study can be made with.
    """
    from pipeline.beyond.parameters import PARAMS, Parameters
    from pipeline.paper.parameters import checked

    return checked(of_project(PARAMS), PARAMS, Parameters)[section]
