"""Which code each program and notebook of the study runs, file by file, so that DVC repeats a stage where what it runs
has changed and nowhere else.

Of a module counts what is reached from the program by name: a function, class or value that it uses, what these use in
turn, and what takes effect whenever the module is imported. Comments and docstrings do not count. With a folder of
results, `python -m pipeline.paper.stages.code FOLDER` lists which of them each notebook reads, and the parameters.
"""

import ast
import json
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

from machine.processes import no_garbage_collection
from pipeline import OFFERED
from pipeline.paper.parameters import check_parameters
from pipeline.paper.stages.outline import PROGRAM, Chain, Statement, bare_lines, outline, parsed, source
from pipeline.tables.paths import read_yaml

ROOT = Path(__file__).parents[3]
SIDES = ("machine", "sim", "pipeline")
NOTEBOOKS, CODE, INPUTS = Path("notebooks"), Path("data/code"), Path("data/inputs")
PARAMS = Path("params.yaml")

Part = tuple[Path, Statement]


def main(out: Path = CODE) -> None:
    programs = {name: path for side in SIDES for name, path in programs_of(ROOT / side).items()}
    notebooks = {str(p.relative_to(ROOT).with_suffix("")): p for p in (ROOT / NOTEBOOKS).rglob("[0-9]*.ipynb")}
    for name, path in (programs | notebooks).items():
        listing = out / f"{name}.txt"
        listing.parent.mkdir(parents=True, exist_ok=True)
        listing.write_text("".join(f"{line}\n" for line in listed(path)), encoding="utf-8")
    print(f"the code of {len(programs)} programs and {len(notebooks)} notebooks in {out}")


def list_inputs(results: Path, out: Path = INPUTS) -> None:
    """Write a file for each of the paper's notebooks: the results that it reads and the parameters, with digests.

    Every notebook says which parameters were changed. Were they its stage's own, dvc.lock would hold all of them once
    for each notebook, and DVC reads and writes dvc.lock anew after every stage.
    """
    out.mkdir(parents=True, exist_ok=True)
    values = read_yaml(PARAMS)
    parameters = f"{PARAMS} {sha256(json.dumps(values).encode()).hexdigest()}\n"
    notebooks = sorted((ROOT / NOTEBOOKS).glob("[0-9]*.ipynb"))
    for notebook in notebooks:
        files = [path for path in sorted(results.glob("*.csv")) if path.stem in read_by(notebook)]
        lines = (f"{path.name} {sha256(path.read_bytes()).hexdigest()}\n" for path in files)
        (out / f"{notebook.stem}.txt").write_text("".join([*lines, parameters]), encoding="utf-8")
    print(f"what {len(notebooks)} notebooks read of {results} in {out}")


@cache
def read_by(notebook: Path) -> set[str]:
    """The names of results that a notebook may read: whatever stands in quotes, and each method that it calls."""
    nodes = list(ast.walk(parsed(source(notebook))))
    quoted = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return quoted | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def programs_of(side: Path) -> dict[str, Path]:
    """What follows `python -m` → its file, for every program of a folder."""
    files = [path for path in side.rglob("*.py") if f"\n{PROGRAM}\n" in path.read_text(encoding="utf-8")]
    return {dotted(path).removesuffix(".__main__"): path for path in files}


def dotted(path: Path) -> str:
    """The name under which a file of the project is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def listed(program: Path) -> list[str]:
    """A line a file that a program or notebook needs, itself left out where it is a notebook: path and digest.

    Beside its modules these are the files of other kinds that lie in the same folders, such as lists of words.
    """
    modules = {path: text_of(path, used) for path, used in reached(program).items() if path.suffix == ".py"}
    beside = {p for folder in {m.parent for m in modules} for p in folder.iterdir() if is_data(p)}
    texts = modules | {path: path.read_text(encoding="utf-8") for path in beside}
    return [f"{p.relative_to(ROOT).as_posix()} {sha256(texts[p].encode()).hexdigest()}" for p in sorted(texts)]


def is_data(path: Path) -> bool:
    """Whether a file in a folder of code is no code."""
    return path.is_file() and path.suffix not in (".py", ".pyc") and not path.name.startswith(".")


def text_of(path: Path, used: set[Statement]) -> str:
    """Statements of a module in their order, behind what the names that they import stand for."""
    imports = outline(path).imports
    names = {chain[0] for statement in used for chain in statement.uses} & imports.keys()
    lines = bare_lines(source(path))
    needed = sorted({row for statement in used for row in statement.lines} & lines.keys())
    return "\n".join(
        [*(f"{name} = {sorted(imports[name])}" for name in sorted(names)), *(lines[row] for row in needed)]
    )


@cache
def reached(program: Path) -> dict[Path, set[Statement]]:
    """File → its statements that a program or notebook runs, files without any left out."""
    needed: dict[Path, set[Statement]] = {}
    waiting: list[Part] = [
        (path, statement)
        for path in closure(program)
        for statement in outline(path).statements
        if statement.takes_effect
    ]
    waiting += statements_of(program, None if program.suffix == ".ipynb" else "__main__")
    while waiting:
        path, statement = waiting.pop()
        if statement not in needed.setdefault(path, set()):
            needed[path].add(statement)
            waiting += (part for chain in statement.uses for part in uses(path, chain))
    return needed


def uses(path: Path, chain: Chain) -> Iterator[Part]:
    """What a name in a module stands for: statements of its own, and of those that it is imported from."""
    name, *attributes = chain
    yield from ((path, statement) for statement in binding(path).get(name, ()))
    for origin in outline(path).imports.get(name, ()):
        yield from imported_statements((*origin.split("."), *attributes))


@cache
def binding(path: Path) -> dict[str, list[Statement]]:
    """Name → the statements of a module that bind it."""
    bound: dict[str, list[Statement]] = {}
    for statement in outline(path).statements:
        for name in statement.binds:
            bound.setdefault(name, []).append(statement)
    return bound


@cache
def imported_statements(chain: Chain) -> tuple[Part, ...]:
    """What a dotted name from anywhere stands for, nothing for a library's."""
    for length in range(len(chain), 0, -1):
        if file := module_file(".".join(chain[:length])):
            return tuple(statements_of(file, chain[length] if length < len(chain) else None))
    return ()


def statements_of(path: Path, name: str | None) -> Iterator[Part]:
    """The statements behind a name of a module; all of them for None and for a name that it makes as it is asked."""
    module = outline(path)
    own = binding(path).get(name or "", ())
    if name in OFFERED and dotted(path.parent) == "pipeline":
        yield from imported_statements((*OFFERED[name].split("."), name))
    elif name and name in module.imports:
        yield from uses(path, (name,))
    elif name != "__main__" or own:
        yield from ((path, statement) for statement in own or module.statements)


@cache
def module_file(name: str) -> Path | None:
    """The project's file of a dotted module name, or None for a library's."""
    path = ROOT / Path(*name.split("."))
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


@cache
def named(path: Path) -> set[str]:
    """The dotted names of the project's modules that the file's imports name, also inside functions."""
    names = set()
    for node in statements(parsed(source(path))):
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


if __name__ == "__main__":
    with no_garbage_collection():
        if sys.argv[1:]:
            list_inputs(Path(sys.argv[1]))
        else:
            try:
                check_parameters()
            except ValueError as problem:
                sys.exit(f"error: {problem}")
            main()
