"""Where the leaderboard leads: batch reports and executed notebooks, beside it in the folder, which so stands alone."""

from hashlib import sha256
from pathlib import Path

from pipeline.reports.batch.page import cells
from pipeline.reports.site.pages import keep_only, write_page, write_text

HTML = ".html"


def write_reports(reports: Path | None, out: Path) -> dict[str, str]:
    """Copy the batch reports; returns where each is, by "team.condition"."""
    found = sorted(reports.glob(f"*{HTML}")) if reports else []
    for path in found:
        write_text(out / "reports" / path.name, path.read_text(encoding="utf-8"))
    keep_only(out / "reports", [path.name for path in found])
    return {path.name.removesuffix(HTML): f"reports/{path.name}" for path in found}


def write_notebooks(notebooks: Path | None, out: Path) -> dict[str, str]:
    """Write a page for each executed notebook; returns where each is, by its name."""
    found = sorted(notebooks.glob("*.ipynb")) if notebooks else []
    for path in found:
        page = out / "notebooks" / f"{path.stem}{HTML}"
        digest = _digest(path)
        if not page.is_file() or digest not in page.read_text(encoding="utf-8")[:1000]:
            write_page(page, "notebook.html", root="../", name=path.stem, digest=digest, body=cells(path))
    keep_only(out / "notebooks", [f"{path.stem}{HTML}" for path in found])
    return {path.stem: f"notebooks/{path.stem}{HTML}" for path in found}


def _digest(notebook: Path) -> str:
    """The digest of an executed notebook and of the figures that it shows from the folder of its name."""
    files = (notebook, *sorted(notebook.with_suffix("").glob("*.svg")))
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
