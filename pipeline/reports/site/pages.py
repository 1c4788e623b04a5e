"""Pages and data files: templates filled in, data as scripts that work from a disk, each file whole or not at all."""

import json
import re
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine.files import is_being_written, replacing

if TYPE_CHECKING:
    from jinja2 import Environment

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
    """A script that hands data to a page: browsers run scripts from a disk, and do not fetch other files there."""
    told = ",".join(json.dumps(a, ensure_ascii=False, separators=(",", ":"), allow_nan=False) for a in arguments)
    return f"calbench.{call}({_utf8(told)});\n"


def _utf8(text: str) -> str:
    """The text with escapes for what UTF-8 cannot hold (halves of pairs), and what some take for the end of a line."""
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def write_text(path: Path, text: str) -> None:
    """Write a file, whole or not at all; one that is the same already stays as it is."""
    content = text.encode()
    if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as target:
        target.write_bytes(content)


def keep_only(folder: Path, names: Collection[str]) -> list[str]:
    """Remove what an earlier site left in one of its folders; returns the names of the files that went."""
    gone = sorted(
        path for path in folder.glob("*") if path.is_file() and path.name not in names and not is_being_written(path)
    )
    for path in gone:
        path.unlink(missing_ok=True)
    return [path.name for path in gone]


def copy_static(out: Path) -> None:
    """Copy styles and scripts to the site."""
    sources = sorted(path for path in STATIC.iterdir() if path.is_file())
    for source in sources:
        write_text(out / "static" / source.name, source.read_text(encoding="utf-8"))
    keep_only(out / "static", [source.name for source in sources])
