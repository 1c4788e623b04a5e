"""What Sphinx makes the book of (`make book`): the documents, the executed notebooks, the modules' docstrings."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

from docutils.nodes import document
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]
PROGRAMS = ("sim", "pipeline", "machine")
# A link of a document to a notebook's source leads to what the notebook shows.
NOTEBOOK = re.compile(r"(?<=[(/])notebooks(?=/[\w/]+\.ipynb\))")
# In docstrings, which are Markdown: `code`, and what reStructuredText would take for a mark.
CODE_OR_MARK = re.compile(r"`[^`\n]+`|[\\*|_]")
CONTENTS = """
```{toctree}
:caption: The study
:hidden:
docs/paper
docs/study
docs/a-messages-way
data/README
```

```{toctree}
:caption: Notebooks
:hidden:
:glob:
figures/*
```

```{toctree}
:caption: What is measured, and how
:hidden:
docs/environment
docs/language
docs/patterns
docs/statistics
docs/audit
```

```{toctree}
:caption: Your own teams
:hidden:
docs/comparing
docs/models
docs/styles
docs/scale
docs/reliability
docs/benchmarks
```

```{toctree}
:caption: Beyond the paper
:hidden:
:glob:
docs/beyond/README
docs/beyond/*
figures/beyond/*
```

```{toctree}
:caption: The project
:hidden:
CONTRIBUTING
CHANGELOG
SECURITY
```

```{toctree}
:caption: Modules
:hidden:
docs/api/sim/sim
docs/api/pipeline/pipeline
docs/api/machine/machine
```
"""

project = html_title = "CalBench Lab"
root_doc = "README"
include_patterns = ["*.md", "data/README.md", "docs/**.md", "docs/api/**.rst", "figures/**.ipynb"]
exclude_patterns = [".*", "data/[!R]*", "docs/api/*/modules.rst", "book", "lab", "mine", "print", "reports", "site"]
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.apidoc", "sphinx_copybutton"]
myst_heading_anchors = 4
nb_execution_mode = "off"
apidoc_modules = [
    {
        "path": str(ROOT / program),
        "destination": f"docs/api/{program}",
        "max_depth": 1,
        "automodule_options": {"members", "show-inheritance"},
        "exclude_patterns": [str(ROOT / "pipeline" / room) for room in ("paper/stages", "reports/documents")],
    }
    for program in PROGRAMS
]
apidoc_module_first = True
autodoc_preserve_defaults = True
default_role = "literal"
html_theme = "sphinx_book_theme"
html_theme_options = {"navbar_persistent": [], "use_download_button": False, "use_fullscreen_button": False}
html_context = {"default_mode": "auto"}
html_static_path = html_css_files = ["book.css"]
# Summaries of what was found are fetched, which no browser lets a page from a disk do.
html_show_search_summary = False
html_show_sourcelink = html_copy_source = False


def readable(app: Sphinx, docname: str, text: list[str]) -> None:
    """Fold the code of a notebook; lead a document's links to notebooks to what these show; give the first page the
    contents."""
    if docname.startswith("figures/"):
        text[0] = with_folded_code(text[0])
    else:
        text[0] = NOTEBOOK.sub("figures", text[0]).replace("```mermaid", "```text")
    if docname == root_doc:
        text[0] += CONTENTS


def with_folded_code(notebook: str) -> str:
    """The notebook with its code folded away; what shows nothing is folded with what comes after it."""
    read = json.loads(notebook)
    cells: list[dict[str, Any]] = []
    for cell in read["cells"]:
        if cell["cell_type"] == "code":
            cell["metadata"] = {"tags": ["hide-input"]}
            if cells and cells[-1]["cell_type"] == "code" and not cells[-1]["outputs"]:
                cell["source"] = [*cells.pop()["source"], "\n\n", *cell["source"]]
        cells.append(cell)
    return json.dumps(read | {"cells": cells})


def as_restructured_text(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """A docstring with every mark escaped that is none in Markdown."""
    lines[:] = [CODE_OR_MARK.sub(lambda m: m[0] if m[0][0] == "`" else f"\\{m[0]}", line) for line in lines]


def left_out(app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    """True for a member that is not shown: a record's field, and what cannot be written after a dot."""
    return not name.isidentifier() or str(obj.__doc__).startswith("Alias for field number") or None


def plain_types(app: Sphinx, doctree: document) -> None:
    """Leave a signature's type a word where it does not name a module of ours: several may have one of that name."""
    for node in list(doctree.findall(pending_xref)):
        if node["refdomain"] == "py" and not node["reftarget"].startswith(tuple(f"{name}." for name in PROGRAMS)):
            node.replace_self(node.children)


def complete(app: Sphinx, failed: Exception | None) -> None:
    """Copy the figures that notebooks show from the folder of their name, and the first page to where servers look."""
    if failed is None:
        shutil.copyfile(app.outdir / "README.html", app.outdir / "index.html")
    for path in ROOT.glob("figures/**/*.svg"):
        copied = app.outdir / path.relative_to(ROOT)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copied)


def setup(app: Sphinx) -> None:
    app.connect("source-read", readable)
    app.connect("autodoc-process-docstring", as_restructured_text)
    app.connect("autodoc-skip-member", left_out)
    app.connect("doctree-read", plain_types)
    app.connect("build-finished", complete)
