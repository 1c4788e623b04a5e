"""The HTML that a page may hold: text, tables and figures. All else that a notebook shows is there as text."""

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bleach.sanitizer import Cleaner  # type: ignore[import-untyped]

HTML = "text/html"
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
    found: dict[str, None] = {}
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", ()))
    for data in (output.data for output in outputs if HTML in output.get("data", ())):
        found |= dict.fromkeys(STYLE.findall(data[HTML]))
        data[HTML] = STYLE.sub("", data[HTML])
    return f"<style>{''.join(found)}</style>\n" if found else ""


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
