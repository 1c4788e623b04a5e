"""Which code each program and notebook of the study runs, file by file and without its comments, so that DVC repeats a
stage where what it runs has changed and nowhere else."""

import ast
import hashlib
import io
import json
import tokenize
from functools import cache
from pathlib import Path

from pipeline import OFFERED

ROOT = Path(__file__).parents[3]
SIDES = ("machine", "sim", "pipeline")
NOTEBOOKS, CODE = Path("notebooks"), Path("data/code")
PROGRAM = 'if __name__ == "__main__":'


def main(out: Path = CODE) -> None:
    programs = {name: path for side in SIDES for name, path in programs_of(ROOT / side).items()}
    notebooks = {str(p.relative_to(ROOT).with_suffix("")): p for p in (ROOT / NOTEBOOKS).rglob("[0-9]*.ipynb")}
    for name, path in (programs | notebooks).items():
        listing = out / f"{name}.txt"
        listing.parent.mkdir(parents=True, exist_ok=True)
        listing.write_text("".join(f"{line}\n" for line in listed(path)), encoding="utf-8")
    print(f"the code of {len(programs)} programs and {len(notebooks)} notebooks in {out}")


def programs_of(side: Path) -> dict[str, Path]:
    """What follows `python -m` → its file, for every program of a folder."""
    files = [path for path in side.rglob("*.py") if PROGRAM in path.read_text(encoding="utf-8")]
    return {dotted(path).removesuffix(".__main__"): path for path in files}


def dotted(path: Path) -> str:
    """The name under which a file of the project is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def listed(program: Path) -> list[str]:
    """A line a file that a program or notebook needs, itself left out where it is a notebook: path and digest.

    Beside its modules these are the files of other kinds that lie in the same folders, such as lists of words.
    """
    modules = {path for path in closure(program) if path.suffix == ".py" and has_code(path)}
    beside = {p for folder in {m.parent for m in modules} for p in folder.iterdir() if is_data(p)}
    return [f"{p.relative_to(ROOT).as_posix()} {digest(p)}" for p in sorted(modules | beside)]


def is_data(path: Path) -> bool:
    """Whether a file in a folder of code is no code."""
    return path.is_file() and path.suffix not in (".py", ".pyc") and not path.name.startswith(".")


@cache
def digest(path: Path) -> str:
    """SHA-256 of a file, of a module without its comments and blank lines."""
    content = path.read_text(encoding="utf-8")
    return hashlib.sha256((without_comments(content) if path.suffix == ".py" else content).encode()).hexdigest()


def without_comments(code: str) -> str:
    """Python code without comments and blank lines, which change nothing that it does."""
    lines = code.splitlines()
    inside: set[int] = set()  # lines of a text that goes over several: blank ones are part of it
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
        elif token.start[0] != token.end[0]:
            inside |= set(range(token.start[0], token.end[0] + 1))
    return "\n".join(line for row, line in enumerate(lines, 1) if line or row in inside)


def module_file(name: str) -> Path | None:
    """The project's file of a dotted module name, or None for a library's."""
    path = ROOT / Path(*name.split("."))
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


def source(path: Path) -> str:
    """The code of a module, or of a notebook's code cells."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code")


@cache
def named(path: Path) -> set[str]:
    """The dotted names of the project's modules that the file's imports name, also inside functions."""
    names = set()
    for node in ast.walk(ast.parse(source(path))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name if module_file(name) else node.module for name in inside}
            if node.module == "pipeline":
                names |= {OFFERED[alias.name] for alias in node.names if alias.name in OFFERED}
    return {name for name in names if module_file(name)}


@cache
def imported(path: Path) -> set[Path]:
    """The project's files that the file names in its imports, with the packages that they lie in."""
    packages = {name.rsplit(".", i)[0] for name in named(path) for i in range(name.count(".") + 1)}
    return {file for name in packages if (file := module_file(name))}


@cache
def closure(path: Path) -> set[Path]:
    """The file and all of the project's files that it needs."""
    found, waiting = set(), [path]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += imported(current)
    return found


@cache
def has_code(path: Path) -> bool:
    """Whether a module does more than say in its docstring what its package is for."""
    return len(ast.parse(path.read_text(encoding="utf-8")).body) > 1


if __name__ == "__main__":
    main()
