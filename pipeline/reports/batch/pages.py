"""Executed notebooks as pages that open with no network, one or many at once."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from machine.executor import map_unordered
from machine.files import replacing
from pipeline.reports.notebook import NotebookFailed, embed_figures, execute

# Nothing is loaded from anywhere, and no script runs, whatever agents wrote into the traces.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.55 system-ui, sans-serif; color: #222; background: #fff; }
body { max-width: 66em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.2em; margin-top: 1.8em; }
pre { overflow-x: auto; } code, pre { font-size: .87em; }
.jp-InputPrompt, .jp-OutputPrompt, .anchor-link, .jp-Collapser { display: none; }
.jp-InputArea pre, .jp-CodeCell .highlight { background: #f6f6f4; padding: .5em .8em; margin: .4em 0; }
.jp-OutputArea { margin: .6em 0; overflow-x: auto; } svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-size: .87em; font-variant-numeric: tabular-nums; }
table.dataframe th, table.dataframe td { border-bottom: 1px solid #ddd; padding: 3px 8px; text-align: right; }
table.dataframe thead th { border-bottom: 2px solid #999; }
nav { font-size: .87em; }
"""


def page(executed: Path, title: str, back: str | None = None) -> str:
    """The HTML of an executed notebook: its words, tables and figures, without its code.

    back: the address of the page that lists all.
    """
    return wrapped(cells(executed), title, back)


def cells(executed: Path) -> str:
    """The words, tables and figures of an executed notebook as HTML that is no whole page yet."""
    import nbformat
    from nbconvert import HTMLExporter

    notebook: Any = nbformat.read(executed, as_version=4)  # type: ignore[no-untyped-call]
    embed_figures(notebook, executed.parent)
    exporter = HTMLExporter(template_name="basic")  # type: ignore[no-untyped-call]
    exporter.exclude_input = exporter.exclude_output_prompt = True
    body, _ = exporter.from_notebook_node(notebook)
    return without_scripts(body)


def wrapped(body: str, title: str, back: str | None = None) -> str:
    """A body of HTML as a whole page."""
    nav = f'<nav><a href="{escape(back)}">All reports</a></nav>' if back else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body>{nav}<main>\n{body}\n</main></body></html>\n"
    )


def without_scripts(body: str) -> str:
    """The HTML without script elements, which a page that runs none has no use for."""
    return re.sub(r"<script\b.*?</script\s*>", "", body, flags=re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Order:
    """A page to make: from which notebook, with which parameters, where, and what it is called."""

    notebook: Path
    parameters: Mapping[str, Any]
    target: Path
    title: str


def make(order: Order) -> str | None:
    """Execute the notebook and write its page, whole or not at all. Returns what went wrong, in a line."""
    order.target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="report-") as folder:
        executed = Path(folder) / "executed.ipynb"
        figures = {"figures": str(Path(folder) / "figures")}
        try:
            execute(order.notebook, executed, figures | dict(order.parameters))
        except NotebookFailed as failed:
            return f"{order.target.name}: {failed}"
        with replacing(order.target) as draft:
            draft.write_text(page(executed, order.title, "index.html"), encoding="utf-8")
    return None


def make_all(orders: Sequence[Order], workers: int, progress: Callable[[int, int], None]) -> list[str]:
    """Make every page. Returns what went wrong, a line for each page that could not be made, in their order."""
    failed: dict[int, str] = {}
    progress(0, len(orders))
    for done, (number, wrong) in enumerate(map_unordered(make, orders, workers), start=1):
        if wrong:
            failed[number] = wrong
        progress(done, len(orders))
    return [failed[number] for number in sorted(failed)]


def write_contents(orders: Iterable[Order], out: Path) -> None:
    """Write `out/index.html`: links to the pages that are there."""
    there = [order for order in orders if order.target.is_file()]
    items = (f'<li><a href="{escape(order.target.name)}">{escape(order.title)}</a></li>' for order in there)
    with replacing(out / "index.html") as draft:
        draft.write_text(wrapped(f"<h1>Reports</h1>\n<ul>{''.join(items)}</ul>", "Reports"), encoding="utf-8")


def file_name(text: str) -> str:
    """A file's name for any text: other characters than letters, digits, '.', '-' and '_' become '-'."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).lstrip(".") or "report"
