"""The project's folder, and which of its files import which."""

import ast
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pipeline import OFFERED

ROOT = Path(__file__).parents[1]


@cache
def source(path: Path) -> str:
    """The code of a module, or of a notebook's code cells."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code")


@cache
def module_file(name: str) -> Path | None:
    """The project's file of a dotted module name, or None for a library's."""
    path = ROOT / Path(*name.split("."))
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


@cache
def named(path: Path) -> set[str]:
    """The dotted names of the project's modules that the file's imports name, also inside functions."""
    names = set()
    for node in statements(ast.parse(source(path))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name if module_file(name) else node.module for name in inside}
            if node.module == "pipeline":
                names |= {OFFERED[alias.name] for alias in node.names if alias.name in OFFERED}
    return {name for name in names if module_file(name)}


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements of a module, and those inside them, at any depth."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, field, ()):
            yield inner
            yield from statements(inner)


@cache
def imported(path: Path) -> set[Path]:
    """The project's files that the file names in its imports, with the packages that they lie in."""
    packages = {name.rsplit(".", i)[0] for name in named(path) for i in range(name.count(".") + 1)}
    return {file for name in packages if (file := module_file(name))}


@cache
def closure(path: Path) -> set[Path]:
    """The file and all of the project's files that it needs."""
    files, waiting = set(), [path]
    while waiting:
        current = waiting.pop()
        if current not in files:
            files.add(current)
            waiting += imported(current)
    return files
