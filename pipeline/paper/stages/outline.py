"""What each statement of a module binds and uses, so that a program's code can be followed by name."""

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from symtable import symtable
from typing import NamedTuple

from machine.processes import no_garbage_collection

PROGRAM, TYPES = 'if __name__ == "__main__":', "if TYPE_CHECKING:"

Chain = tuple[str, ...]  # a name with its attributes: `io.read_table` is ("io", "read_table")
Named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Statement(NamedTuple):
    """A statement of a module's own level: its lines, what it binds and uses, and whether importing it has effects."""

    lines: range
    binds: frozenset[str]
    uses: frozenset[Chain]
    takes_effect: bool


class Outline(NamedTuple):
    """A module's statements without its imports; and each imported name → the dotted names that it may stand for."""

    statements: tuple[Statement, ...]
    imports: Mapping[str, frozenset[str]]


class Names(ast.NodeVisitor):
    """Collects what code uses, names with their attributes, and what it imports: the name, and what that stands for."""

    def __init__(self) -> None:
        self.used: set[Chain] = set()
        self.quoted: set[Chain] = set()
        self.imported: set[tuple[str, str]] = set()

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self.imported.add((name, alias.name if alias.asname else name))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.imported |= {(alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names}

    def visit_Attribute(self, node: ast.Attribute) -> None:
        names, inner = [node.attr], node.value
        while isinstance(inner, ast.Attribute):
            names, inner = [inner.attr, *names], inner.value
        if isinstance(inner, ast.Name):
            self.used.add((inner.id, *names))
        else:
            self.visit(inner)

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Store):
            self.used.add((node.id,))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """A field's type may be a name in quotes."""
        self.generic_visit(node)
        quoted = (inner.value for inner in ast.walk(node.annotation) if isinstance(inner, ast.Constant))
        self.quoted |= {(name,) for text in quoted if isinstance(text, str) for name in re.findall(r"\w+", text)}


@cache
def outline(path: Path) -> Outline:
    """What the statements of a module or notebook bind and use; what is for type checkers alone is left out."""
    own = [node for node in parsed(source(path)).body if not (is_if(node, TYPES) or is_text(node))]
    variables = frozenset(name for node in own if not isinstance(node, Named) for name in bound(node))
    globals_of = global_names(source(path))
    statements, imports = [], dict[str, frozenset[str]]()
    for node in own:
        names = Names()
        names.visit(node)
        for name, origin in names.imported:
            imports[name] = imports.get(name, frozenset()) | {origin}
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            statements.append(statement_of(node, names, globals_of, variables))
    return Outline(tuple(statements), imports)


@cache
def source(path: Path) -> str:
    """The code of a module, or of a notebook's code cells."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code")


@cache
def parsed(code: str) -> ast.Module:
    """The syntax tree of Python code."""
    with no_garbage_collection():
        return ast.parse(code)


def global_names(code: str) -> dict[str, set[str]]:
    """Function or class of a module → the names in it that its own variables do not hide."""
    names: dict[str, set[str]] = {}
    waiting = [(table.get_name(), table) for table in symtable(code, "", "exec").get_children()]
    while waiting:
        name, table = waiting.pop()
        own = {
            s.get_name()
            for s in table.get_symbols()
            if s.is_global() or s.is_imported() or (table.get_type() == "class" and s.is_referenced())
        }
        names[name] = names.get(name, set()) | own
        waiting += ((name, inner) for inner in table.get_children())
    return names


def is_if(node: ast.stmt, condition: str) -> bool:
    """Whether a statement begins with this line, such as PROGRAM."""
    return isinstance(node, ast.If) and f"if {ast.unparse(node.test)}:".replace("'", '"') == condition


def is_text(node: ast.stmt) -> bool:
    """Whether a statement is a text alone, as docstrings are."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def statement_of(
    node: ast.stmt, names: Names, globals_of: Mapping[str, set[str]], variables: frozenset[str]
) -> Statement:
    """variables: what the module binds otherwise than by `def` and `class`, such as what a decorator may add to."""
    if not isinstance(node, Named):
        binds = frozenset({"__main__"}) if is_if(node, PROGRAM) else bound(node)
        effect = takes_effect(node) and not is_if(node, PROGRAM)
        return Statement(
            range(node.lineno, (node.end_lineno or 0) + 1), binds, frozenset(names.used | names.quoted), effect
        )
    around = {chain for part in (*node.decorator_list, *outside(node)) for chain in chains(part)}
    inside = {chain for chain in names.used if chain[0] in globals_of[node.name]}
    added = any(chain[0] in variables for decorator in node.decorator_list for chain in chains(decorator))
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return Statement(
        range(first, (node.end_lineno or 0) + 1), bound(node), frozenset(inside | around | names.quoted), added
    )


def outside(node: ast.stmt) -> list[ast.expr]:
    """What of a function or class is evaluated outside it beside its decorators: bases, defaults, annotations."""
    if isinstance(node, ast.ClassDef):
        return [*node.bases, *(keyword.value for keyword in node.keywords)]
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return []
    given = node.args
    every = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
    optional = (*given.defaults, *given.kw_defaults, node.returns, *(arg.annotation for arg in every if arg))
    return [part for part in optional if part]


def takes_effect(node: ast.stmt) -> bool:
    """Whether a statement does more than bind names."""
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(isinstance(inner, (ast.Attribute, ast.Subscript)) for t in targets for inner in ast.walk(t))
    return not isinstance(node, Named)


def bound(node: ast.stmt) -> frozenset[str]:
    """The names of its module that a statement binds."""
    if isinstance(node, Named):
        return frozenset({node.name})
    inside = list(ast.walk(node))
    names = {inner.id for inner in inside if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)}
    return frozenset(names | {inner.name for inner in inside if isinstance(inner, Named)})


def chains(node: ast.AST) -> set[Chain]:
    """The names with their attributes that an expression uses."""
    names = Names()
    names.visit(node)
    return names.used


@cache
def bare_lines(code: str) -> dict[int, str]:
    """Line number → what stands in it beside comments, without blank lines and those of docstrings."""
    lines = dict(enumerate(code.splitlines(), 1))
    inside: set[int] = set()  # lines of a text that goes over several: blank ones are part of it
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row] = lines[row][:column].rstrip()
        elif token.start[0] != token.end[0]:
            inside |= set(range(token.start[0], token.end[0] + 1))
    for text in docstrings(parsed(code)):
        for row in range(text.lineno, (text.end_lineno or 0) + 1):
            lines.pop(row)
    return {row: line for row, line in lines.items() if line or row in inside}


def docstrings(node: ast.AST) -> Iterator[ast.stmt]:
    """The docstrings of a module, its classes and functions, and theirs."""
    if isinstance(node, (*Named, ast.Module)):
        yield from filter(is_text, node.body[:1])
        for inner in node.body:
            yield from docstrings(inner)
