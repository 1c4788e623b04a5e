"""Notebooks executed in this process, for tests that make many pages: a kernel starts for longer than most cells run.

tests/test_calbench.py makes pages with the kernel that users have.
"""

import sys
from pathlib import Path
from typing import Any

import nbformat
import polars as pl
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import CapturedIO, capture_output
from nbformat.v4 import new_output

from pipeline.reports.notebook import NotebookFailed


def execute_raw(source: Path, executed: Path, parameters: dict[str, Any], cells: list[Any]) -> None:
    """Execute a notebook as pipeline.reports.notebook.execute_raw does, in a shell of this process."""
    notebook: Any = nbformat.read(source, as_version=4)  # type: ignore[no-untyped-call]
    shell = InteractiveShell.instance()
    with pl.Config():
        for number, cell in enumerate(notebook.cells, start=1):
            if cell.cell_type != "code":
                continue
            with capture_output() as shown:
                shell.display_trap.hook = sys.displayhook  # which collects what the cell ends in
                done = shell.run_cell(cell.source, store_history=True)
            if not done.success:
                raise NotebookFailed(f"{source}, cell {number}: {done.error_before_exec or done.error_in_exec!r}")
            if "parameters" in cell.metadata.get("tags", ()):
                shell.push(parameters)
            cell.outputs, cell.execution_count = outputs(shown), shell.execution_count - 1
    InteractiveShell.clear_instance()
    nbformat.write(notebook, executed)  # type: ignore[no-untyped-call]


def outputs(shown: CapturedIO) -> list[Any]:
    """What a cell printed and displayed, as a notebook holds it."""
    printed = [new_output("stream", name="stdout", text=shown.stdout)] if shown.stdout else []  # type: ignore[no-untyped-call]
    displayed = [new_output("display_data", data=rich.data, metadata=rich.metadata or {}) for rich in shown.outputs]  # type: ignore[no-untyped-call]
    return printed + displayed
