"""Many notebooks to many pages, on all cores; the pages are the same for any number of workers."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from machine.executor import map_unordered
from machine.files import replacing
from pipeline.reports.batch.page import page, wrapped
from pipeline.reports.notebook import NotebookFailed, execute


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
