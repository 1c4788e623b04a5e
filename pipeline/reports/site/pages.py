"""Pages of the site: their files, names and links, filled from templates."""

import json
import re
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import TYPE_CHECKING, Any

from pipeline.reports.batch.pages import notebook_html

if TYPE_CHECKING:
    from jinja2 import Environment


# Lower case alone, as some disks don't tell cases apart. static/base.js has the same rule.
PLAIN = re.compile(r"[0-9a-z][0-9a-z-]{0,63}")
DIGITS = 32
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")


def page_name(game_id: str) -> str:
    """The name of the game's files, without a suffix."""
    if PLAIN.fullmatch(game_id) and not RESERVED.fullmatch(game_id):
        return game_id
    return sha256(game_id.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def page_names(game_ids: Iterable[str]) -> dict[str, str]:
    """The page's name of each game."""
    return {game_id: page_name(game_id) for game_id in game_ids}


HERE = Path(__file__).parent
UNSAFE = re.compile("[\ud800-\udfff\u2028\u2029]")
STATIC = HERE / "static"


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip


def write_page(path: Path, template: str, **values: Any) -> None:
    """Write a page from its template; every value is escaped."""
    write_text(path, _templates().get_template(template).render(**values))


def script(call: str, *arguments: Any) -> str:
    """A script that passes data to a page: from a disk, browsers run scripts but fetch no other files."""
    data = ",".join(json.dumps(a, ensure_ascii=False, separators=(",", ":"), allow_nan=False) for a in arguments)
    return f"calbench.{call}({escaped_for_script(data)});\n"


def escaped_for_script(text: str) -> str:
    """The text with escapes for what UTF-8 cannot hold (lone surrogates), and for Unicode's line separators."""
    return UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def write_text(path: Path, text: str) -> None:
    """Write a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def copy_static(out: Path) -> None:
    """Copy styles and scripts to the site."""
    sources = sorted(path for path in STATIC.iterdir() if path.is_file())
    for source in sources:
        write_text(out / "static" / source.name, source.read_text(encoding="utf-8"))


HTML = ".html"


def write_reports(reports: Path | None, out: Path) -> dict[str, str]:
    """Copy the batch reports; returns where each is, by "team.condition"."""
    pages = sorted(reports.glob(f"*{HTML}")) if reports else []
    for path in pages:
        write_text(out / "reports" / path.name, path.read_text(encoding="utf-8"))
    return {path.name.removesuffix(HTML): f"reports/{path.name}" for path in pages}


def write_notebooks(notebooks: Path | None, out: Path, site: Path) -> dict[str, str]:
    """Write a page for each executed notebook; returns where each is, by its name. site: where earlier ones are."""
    pages = sorted(notebooks.glob("*.ipynb")) if notebooks else []
    for path in pages:
        place = Path("notebooks", f"{path.stem}{HTML}")
        page, earlier, digest = out / place, site / place, _digest(path)
        if earlier.is_file() and digest in (text := earlier.read_text(encoding="utf-8"))[:1000]:
            write_text(page, text)
        else:
            write_page(page, "notebook.html", root="../", name=path.stem, digest=digest, body=notebook_html(path))
    return {path.stem: f"notebooks/{path.stem}{HTML}" for path in pages}


def write_book(book: Path | None, out: Path) -> str:
    """Copy the book; returns where its first page is, nothing where there is none."""
    if book is None or not (book / "index.html").is_file():
        return ""
    copytree(book, out / "book", ignore=ignore_patterns(".*"))
    return "book/index.html"


def _digest(notebook: Path) -> str:
    """The digest of an executed notebook and of the figures that it shows from the folder of its name."""
    files = (notebook, *sorted(notebook.with_suffix("").glob("*.svg")))
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
