"""Execute a notebook, and keep of it what is the same in every run.

An executed copy loses times, versions of tools and paths; a failed assert fails the execution, which names the cell.
A figure that the notebook saved in the folder of the copy's own name is shown from there, and not held twice.
"""

import logging
import re
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Any

from machine.output import replacing
from pipeline.reports.jupyter_kernel import isolated_kernel
from pipeline.reports.views.html import escape_text

# What differs between two runs of the same notebook, or between two machines.
NOTEBOOK_KEYS = ("papermill", "widgets")
CELL_KEYS = ("papermill", "execution", "ExecuteTime")

# Seconds that a kernel may take to start, or to send its output.
TIMEOUT = 600

# How a copy refers to a figure in the folder beside it.
IMAGE = re.compile(r'<img src="([\w-]+/[\w-]+\.svg)" alt="[^"<>]+">')
TITLE = re.compile(r"<title>([^<]+)</title>")
SVG_DATA, HTML_DATA = "image/svg+xml", "text/html"

ANSI_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
FAILING_LINE = re.compile(r"^-+> \d+ (.*)$", re.MULTILINE)  # the line of a cell that a traceback points at


class NotebookFailed(RuntimeError):
    """A notebook that could not be executed: which cell raised, and what, in one line."""


def execute(source: Path, target: Path, parameters: Mapping[str, Any] | None = None) -> None:
    """Execute the notebook with papermill and write the reproducible copy, whole or not at all.

    parameters: replace those of the cell tagged `parameters`. Raises NotebookFailed, naming the cell, its line and the
    error, where a cell raises; and where there is no notebook, no such parameter, or no kernel to run it.
    """
    parameters = dict(parameters or {})
    cells = _cells(source)
    check_parameters(source, parameters)
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as draft:
        executed = draft.with_suffix(".ipynb")
        try:
            execute_raw(source, executed, parameters, cells)
            draft.write_text(reproducible(executed, target.with_suffix("")), encoding="utf-8")
        finally:
            executed.unlink(missing_ok=True)


def load_nbformat() -> Any:
    """nbformat, imported without the grammars of URIs that jsonschema compiles where `rfc3987_syntax` is installed.

    They take a second of CPU in every process, and no notebook needs them.
    """
    hidden = sys.modules.setdefault("rfc3987_syntax", None) is None  # type: ignore[arg-type]
    import nbformat

    if hidden:
        del sys.modules["rfc3987_syntax"]
    return nbformat


def _cells(source: Path) -> list[Any]:
    """The cells of a notebook."""
    if not source.is_file():
        raise NotebookFailed(f"{source}: there is no such notebook")
    try:
        cells: list[Any] = load_nbformat().read(source, as_version=4).cells
    except Exception:  # nbformat raises whatever it stumbles over
        raise NotebookFailed(f"{source} is not a notebook") from None
    return cells


def check_parameters(source: Path, parameters: dict[str, Any]) -> None:
    """Raise NotebookFailed for a parameter that the notebook lacks: papermill would ignore it."""
    import papermill  # type: ignore[import-untyped]

    known = papermill.inspect_notebook(source)
    unknown = sorted(parameters.keys() - known.keys())
    if unknown:
        raise NotebookFailed(f"{source} has no parameter {', '.join(unknown)}; it has {', '.join(known) or 'none'}")


def execute_raw(source: Path, executed: Path, parameters: dict[str, Any], cells: list[Any]) -> None:
    """Execute the notebook into a file that still holds times and paths."""
    import papermill
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError  # type: ignore[import-untyped]

    logging.getLogger("papermill").setLevel(logging.CRITICAL)  # what it logs is raised here
    with isolated_kernel() as settings:
        # Streams are joined and the kernel's log is off: when they flush, and what is logged at the end, varies.
        quiet = ["--IPKernelApp.log_level=CRITICAL"]
        options = {"config": settings, "coalesce_streams": True, "extra_arguments": quiet}
        # On a busy machine, output that comes after the timeout would be lost silently.
        options |= {"start_timeout": TIMEOUT, "iopub_timeout": TIMEOUT, "raise_on_iopub_timeout": True}
        try:
            papermill.execute_notebook(source, executed, parameters, progress_bar=False, log_output=False, **options)
        except PapermillExecutionError as error:
            injected = bool(parameters) and error.cell_index > _after_parameters(cells)
            raise NotebookFailed(f"{source}, {_failure(error, error.cell_index + 1 - injected)}") from None
        except (DeadKernelError, NoSuchKernel) as error:
            raise NotebookFailed(f"{source}: {_first_line(error)}") from None


def _after_parameters(cells: list[Any]) -> int:
    """The index at which papermill injects its cell of parameters."""
    tagged = [number for number, cell in enumerate(cells) if "parameters" in cell.metadata.get("tags", ())]
    return tagged[0] + 1 if tagged else 0


def _failure(error: Any, number: int) -> str:
    """The cell's number in the source, counted from 1 with prose; the line that raised; and the error."""
    line = FAILING_LINE.search(ANSI_COLOURS.sub("", "\n".join(error.traceback)))
    at = f", at `{line[1].strip()}`" if line else ""
    return f"cell {number}{at}: {error.ename}" + (f": {_first_line(error.evalue)}" if error.evalue else "")


def _first_line(error: object) -> str:
    return str(error).strip().partition("\n")[0]


def reproducible(executed: Path, figures: Path | None = None) -> str:
    """The executed notebook as text, without what differs from run to run.

    figures: the folder beside the copy whose SVG files it shows instead of holding them.
    """
    nbformat = load_nbformat()
    notebook: Any = nbformat.read(executed, as_version=4)
    for key in NOTEBOOK_KEYS:
        notebook.metadata.pop(key, None)
    notebook.metadata.get("language_info", {}).pop("version", None)
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
        for key in CELL_KEYS:
            cell.metadata.pop(key, None)
        if not cell.metadata.get("tags"):
            cell.metadata.pop("tags", None)
    if figures:
        link_figures(notebook, figures)
    text: str = nbformat.writes(notebook)
    return text + "\n"


def link_figures(notebook: Any, folder: Path) -> None:
    """Replace each SVG output that is also a file of the folder by an image whose source is that file.

    Its alternative text is the SVG's title, which is the figure's caption; without a title the file's name.
    """
    files = {_svg_text(path): path for path in sorted(folder.glob("*.svg"))}
    for data in _outputs(notebook):
        path = files.get(data.get(SVG_DATA))
        if path:
            title = TITLE.search(data.pop(SVG_DATA))
            shown = unescape(title[1]) if title else path.stem.replace("_", " ")
            data[HTML_DATA] = f'<img src="{folder.name}/{path.name}" alt="{escape_text(shown)}">'


def embed_figures(notebook: Any, beside: Path) -> None:
    """Put the file of each linked figure into its image, for a page that stands alone. beside: the copy's folder."""
    for data in _outputs(notebook):
        image = IMAGE.fullmatch(data.get(HTML_DATA, ""))
        if image and (beside / image[1]).is_file():
            held = b64encode(_svg_text(beside / image[1]).encode()).decode()
            data[HTML_DATA] = image[0].replace(image[1], f"data:{SVG_DATA};base64,{held}", 1)


def _outputs(notebook: Any) -> Iterator[Any]:
    """The data of each output of a notebook, by MIME type."""
    return (output.data for cell in notebook.cells for output in cell.get("outputs", ()) if "data" in output)


def _svg_text(path: Path) -> str:
    """An SVG file's text as a notebook's output holds it."""
    return _as_held(path.read_text(encoding="utf-8"))


@lru_cache(maxsize=64)  # a page asks for each figure twice: to link it, and to embed it
def _as_held(svg: str) -> str:
    from IPython.display import SVG

    return str(SVG(data=svg).data)  # type: ignore[no-untyped-call]
