"""Executed notebooks as pages: harmless HTML that opens with no network, one or many at once."""

import errno
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2s
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from machine.cores import map_unordered
from machine.files import folded
from machine.output import Staged
from pipeline.reports.batch.own_study import Selection
from pipeline.reports.notebook import NotebookFailed, embed_figures, execute, load_nbformat
from pipeline.reports.views.html import escape_text
from pipeline.tables.paths import ROOT
from pipeline.traces.limits import printable

if TYPE_CHECKING:
    from bleach.sanitizer import Cleaner  # type: ignore[import-untyped]


NOTEBOOKS, OF_THE_STUDY = ROOT / "notebooks", "[0-9]*.ipynb"
HTML = "text/html"
# What a report of traces has beside its pages.
FILES = ("tables/", "results/", "results/ledger.csv")
# Bytes of a page's name, what no name has that is kept as it is, and bytes of a digest.
MOST_BYTES, BEFORE_DIGEST, DIGEST_BYTES = 200, "~", 8
MOST_NAMED = 3  # teams in the title of a report
# Where there is no room to write: no other page would fare better.
NO_ROOM_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# Tables bring their looks in such elements, before or in what they show.
STYLE = re.compile(r"<style[^>]*>(.*?)</style\s*>", re.DOTALL | re.IGNORECASE)

TAG_NAMES = """
a abbr b bdi blockquote br caption code col colgroup dd del details div dl dt em figcaption figure
h1 h2 h3 h4 h5 h6 hr i img li mark ol p pre q s small span strong sub summary sup
table tbody td tfoot th thead tr u ul var
"""
ANYWHERE = frozenset({"class", "id", "title", "style", "dir", "lang", "aria-describedby", "aria-labelledby"})
TABLES = frozenset({"border", "colspan", "rowspan", "headers", "scope"})
PROPERTIES = """
background background-color border border-bottom border-collapse border-left border-right border-top color
font-size font-style font-weight height max-width opacity outline outline-offset overflow-x overflow-y
padding-bottom padding-left padding-right padding-top text-align text-decoration vertical-align white-space width
"""


def lift_styles(notebook: Any) -> str:
    """Take the style elements out of a notebook's HTML outputs, which our code makes. Returns one with all of them.

    Its prose may hold text from traces; a style element in there stays, and is shown as text.
    """
    styles: dict[str, None] = {}
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", ()))
    for data in (output.data for output in outputs if HTML in output.get("data", ())):
        styles |= dict.fromkeys(STYLE.findall(data[HTML]))
        data[HTML] = STYLE.sub("", data[HTML])
    return f"<style>{''.join(styles)}</style>\n" if styles else ""


def harmless(body: str) -> str:
    """The HTML without all that is not on the list: other elements are shown as text, other attributes are dropped."""
    cleaned: str = _cleaner().clean(body)
    return cleaned


@cache
def _cleaner() -> "Cleaner":
    from bleach.css_sanitizer import CSSSanitizer  # type: ignore[import-untyped]
    from bleach.sanitizer import Cleaner

    looks = CSSSanitizer(allowed_css_properties=PROPERTIES.split(), allowed_svg_properties=())
    return Cleaner(tags=TAG_NAMES.split(), attributes=_is_allowed, protocols={"data"}, css_sanitizer=looks)


def _is_allowed(tag: str, attribute: str, value: str) -> bool:
    """Whether an element may have this attribute: links lead to a place on the page, images hold what they show."""
    own: Mapping[str, bool] = {
        "href": tag == "a" and value.startswith("#"),
        "src": tag == "img" and value.startswith("data:image/"),
        "alt": tag == "img",
        "open": tag == "details",
    }
    return attribute in ANYWHERE or attribute in TABLES or own.get(attribute, False)


# Pages load nothing and run no script, whatever agents wrote into the traces.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

PAGE_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.55 system-ui, sans-serif; color: #222; background: #fff; }
body { max-width: 66em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.2em; margin-top: 1.8em; }
pre { overflow-x: auto; } code, pre { font-size: .87em; }
.jp-InputPrompt, .jp-OutputPrompt, .anchor-link, .jp-Collapser { display: none; }
.jp-InputArea pre, .jp-CodeCell .highlight { background: #f6f6f4; padding: .5em .8em; margin: .4em 0; }
.jp-OutputArea { margin: .6em 0; overflow-x: auto; } img { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-size: .87em; font-variant-numeric: tabular-nums; }
table.dataframe th, table.dataframe td { border-bottom: 1px solid #ddd; padding: 3px 8px; text-align: right; }
table.dataframe small { white-space: nowrap; font-weight: 400; }
table.dataframe thead th { border-bottom: 2px solid #999; }
nav { font-size: .87em; }
"""


def notebook_page(executed: Path, title: str, index: str | None = None) -> str:
    """The HTML of an executed notebook: its prose, tables and figures, without its code.

    index: the address of the page that lists all.
    """
    return html_page(notebook_html(executed), title, index)


def notebook_html(executed: Path) -> str:
    """The prose, tables and figures of an executed notebook as the HTML of a page's body."""
    notebook: Any = load_nbformat().read(executed, as_version=4)
    from nbconvert import HTMLExporter  # imports nbformat, too

    embed_figures(notebook, executed.parent)
    styles = lift_styles(notebook)
    exporter = HTMLExporter(template_name="basic")  # type: ignore[no-untyped-call]
    exporter.exclude_input = exporter.exclude_output_prompt = True
    body, _ = exporter.from_notebook_node(notebook)
    return styles + harmless(body)


def notebook_title(notebook: Path) -> str:
    """The title of a notebook's first cell, or its file's name where it has none."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"][:1]
    lines = (line.rstrip() for cell in cells for line in cell["source"] if line.startswith("# "))
    return next(lines, notebook.stem).removeprefix("# ")


def html_page(body: str, title: str, index: str | None = None) -> str:
    """A body of HTML as a whole page."""
    nav = f'<nav><a href="{escape(index)}">All reports</a></nav>' if index else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape_text(title)}</title><style>{PAGE_STYLE}</style></head>\n"
        f"<body>{nav}<main>\n{body}\n</main></body></html>\n"
    )


@dataclass(frozen=True)
class PageJob:
    """A page to write: its notebook, that notebook's parameters, the page's file, and its title.

    scratch: a folder for what is unfinished, the system's if none is given.
    """

    notebook: Path
    parameters: Mapping[str, Any]
    target: Path
    title: str
    scratch: Path | None = None


def write_page(job: PageJob) -> str | None:
    """Execute the notebook and write its page, whole or not at all. Returns the error in one line, if there is one.

    Raises OSError where there is no room to write, as no other page would fare better.
    """
    try:
        job.target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix="page-", dir=job.scratch) as folder:
            executed = Path(folder) / "executed.ipynb"
            figures = {"figures": str(executed.with_suffix(""))}
            execute(job.notebook, executed, figures | dict(job.parameters))
            job.target.write_text(notebook_page(executed, job.title, "index.html"), encoding="utf-8")
    except Exception as error:  # whatever it is, the other pages can be made
        if isinstance(error, OSError) and error.errno in NO_ROOM_ERRNOS:
            raise
        return error_line(error)
    return None


def error_line(error: Exception) -> str:
    """An error as one line without control characters."""
    text = str(error).strip().partition("\n")[0]
    return printable(text if isinstance(error, NotebookFailed) else f"{type(error).__name__}: {text}")


def write_pages(
    jobs: Sequence[PageJob], workers: int, progress: Callable[[int, int], None]
) -> list[tuple[PageJob, str]]:
    """Write every page. Returns those that could not be written, in their order, and each one's error in a line."""
    failures: dict[int, str] = {}
    progress(0, len(jobs))
    for done, (number, failure) in enumerate(map_unordered(write_page, jobs, workers), start=1):
        if failure:
            failures[number] = failure
        progress(done, len(jobs))
    return [(jobs[number], failures[number]) for number in sorted(failures)]


def index_title(jobs: Iterable[PageJob]) -> str:
    """Of which teams the pages are, by the first three."""
    teams = [*dict.fromkeys(str(job.parameters["team"]) for job in jobs if "team" in job.parameters)]
    more = f" and {len(teams) - MOST_NAMED} more" if len(teams) > MOST_NAMED else ""
    return f"Report of {', '.join(teams[:MOST_NAMED])}{more}" if teams else "Reports"


def write_index(
    jobs: Sequence[PageJob],
    out: Path,
    missing: Sequence[str] = (),
    first: str = "",
    doubts: Sequence[str] = (),
    files: Sequence[str] = (),
) -> None:
    """Write `out/index.html`: links to the pages and files that are there, and a line for each thing that is missing,
    and for each reason not to trust what is there.

    first: HTML that stands before the links. files: what lies beside the pages, a folder with / at its end.
    """
    title = index_title(jobs)
    written = [job for job in jobs if job.target.is_file()]
    items = (f'<li><a href="{quote(job.target.name)}">{escape_text(job.title)}</a></li>' for job in written)
    pages = "<h2>Pages</h2>\n" if first else ""
    body = f"<h1>{escape_text(title)}</h1>\n{first}{pages}<ul>{''.join(items)}</ul>"
    if links := [f'<a href="{name}">{name}</a>' for name in files if (out / name).exists()]:
        body += f"\n<p>Files: {', '.join(links)}</p>"
    trust = "What the auditor doubts, and how answers were read"
    for heading, lines in (("What could not be made", missing), (trust, doubts)):
        if lines:
            body += f"\n<h2>{heading}</h2>\n<ul>{''.join(f'<li>{escape_text(line)}</li>' for line in lines)}</ul>"
    (out / "index.html").write_text(html_page(body, title), encoding="utf-8")


def kept_files(work: Staged, jobs: Iterable[PageJob], own_study: bool) -> set[str]:
    """The files of an earlier report that stay: pages that were made from the same, and, where this one brings no
    tables and results, those of the earlier one."""
    same = bool(work.made_from) and work.earlier.made_from == work.made_from
    pages = {name for name in work.earlier.files if same and name.endswith(".html")}
    study = {name for name in work.earlier.files if not own_study and "/" in name}
    return (pages | study) - {job.target.name for job in jobs}


def with_digest(pieces: Iterable[str], texts: Sequence[str], room: int = MOST_BYTES) -> str:
    """As many of a name's pieces as fit into `room` bytes with a digest of the texts that it stands for."""
    # Each text's length is before it, so that ("a", "bc") and ("ab", "c") differ.
    digested = "".join(f"{len(text)}:{text}" for text in texts).encode("utf-8", "surrogatepass")
    ending = BEFORE_DIGEST + blake2s(digested, digest_size=DIGEST_BYTES).hexdigest()
    room -= len(ending)
    kept = []
    for piece in pieces:
        room -= len(piece.encode())
        if room < 0:
            break
        kept.append(piece)
    return "".join(kept) + ending


def file_name(team: str, condition: str) -> str:
    """The name of a page's file, without its suffix: letters and digits of any script, `.`, `-` and `_` stay.

    Where another character became `-`, or the name is cut or has a capital, it ends in a digest: no two pages have one
    name, also where disks do not tell cases apart.
    """
    text = f"{team}.{condition}"
    name = re.sub(r"[^\w.-]+", "-", text).lstrip(".")
    is_own = name == folded(text) == text and "." not in condition and len(name.encode()) <= MOST_BYTES
    return name if is_own else with_digest(name, (team, condition))


def page_jobs(selection: Selection, out: Path, scratch: Path, notebooks: bool) -> list[PageJob]:
    """A page for each team and condition that has games, then, if asked for, one for each notebook of the study."""
    import polars as pl

    from pipeline.reports.batch.facts import simulated_mark

    tables, results, teams, conditions, prices, english = selection
    folders = {"tables": str(tables), "results": str(results)}
    games = pl.read_parquet(tables / "games.parquet", columns=["team", "condition", "simulated"], glob=False)
    places = games.group_by("team", "condition").agg("simulated").sort("team", "condition")
    jobs = [
        PageJob(
            NOTEBOOKS / "report.ipynb",
            folders | {"team": team, "condition": condition, "english": english},
            out / f"{file_name(team, condition)}.html",
            f"{team}{simulated_mark(simulated)}, {condition}",
            scratch,
        )
        for team, condition, simulated in places.iter_rows()
        if (not teams or team in teams) and (not conditions or condition in conditions)
    ]
    paths = sorted(NOTEBOOKS.glob(OF_THE_STUDY)) if notebooks else []
    own_prices = {"70_costs": {"own_prices": str(prices.resolve())}} if prices else {}
    return jobs + [
        PageJob(path, folders | own_prices.get(path.stem, {}), out / f"{path.stem}.html", notebook_title(path), scratch)
        for path in paths
    ]
