"""The documents that are made from the simulator's code: `python -m sim docs`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from machine.files import write_whole
from sim.game.trace_schema import schema_text
from sim.runs.style_docs import page

STYLES, SCHEMA = Path("docs/styles.md"), Path("docs/trace.schema.json")
DOCUMENTS: dict[Path, Callable[[], str]] = {STYLES: page, SCHEMA: schema_text}


def behind() -> list[Path]:
    """The documents that are not as the code has them."""
    return [path for path, build in DOCUMENTS.items() if path.read_text(encoding="utf-8") != build()]


def write() -> None:
    """Build every document."""
    for path, build in DOCUMENTS.items():
        write_whole(path, [build().encode()])
