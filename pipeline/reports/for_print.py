"""The command `figures`: each figure of the notebooks, whose cells are run without a kernel, as PDF at a column's width
and at half of it, and tables as LaTeX (`latex.py`)."""

import json
from collections.abc import Mapping, Sequence
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from machine.files import PROJECT, of_project
from machine.manifests import held_origins
from machine.output import Staged, staged
from machine.terminal import progress_bar
from pipeline.traces.limits import printable

if TYPE_CHECKING:
    from pipeline.reports.notebook_session import Study

NOTEBOOKS = Path("notebooks")
TABLES, RESULTS, BEYOND_TABLES = Path("data/tables"), Path("data/results"), Path("data/beyond/tables")

ALL_WRITTEN, SOME_LEFT_OUT = 0, 3
EXAMPLES = """
Examples:

  calbench figures --out print

  calbench figures 20_privacy_plane --out print

  calbench figures --tables my-report/tables --results my-report/results --out print

Of each figure NAME.pdf is 5.5 inches wide and NAME_half.pdf 2.75, with no words below 7 points; NAME.tex includes it
with its caption, and figures.tex holds those of all notebooks drawn into the folder. What was drawn there before of
other tables goes. Each table is a file of its own, for \\usepackage{booktabs}.

Exit code: 0 when all were written, 3 when a notebook failed or a result is missing (the others are), 2 for bad usage.
"""


def figures(
    notebooks: Annotated[list[str] | None, typer.Argument(help="Notebooks, by name; all where none is named.")] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the files.")] = Path("print"),
    tables: Annotated[Path, typer.Option(help="Folder of tables.")] = TABLES,
    results: Annotated[Path, typer.Option(help="Folder of their results.")] = RESULTS,
) -> None:
    """Write every figure as PDF at the widths of print, and tables as LaTeX."""
    from pipeline.reports.batch.own_study import made_from
    from pipeline.reports.latex import TABLES_OF_PRINT
    from pipeline.tables.paths import no_tables
    from pipeline.tables.queries import other_results

    known = _notebooks(own=tables != TABLES)
    sources = _chosen(notebooks or [], known)
    tables, results = of_project(tables).resolve(), of_project(results).resolve()
    if absent := no_tables(tables):
        raise typer.BadParameter(f"{printable(absent)}.", param_hint="--tables")
    if problem := other_results(tables, results):
        raise typer.BadParameter(
            f"{printable(problem)}; name theirs: `report` makes them of traces.", param_hint="--results"
        )
    read = made_from((), tables, results) | {"beyond": _beyond_tables(known)}
    with (
        staged(out, "figures", ["figures.tex", *(f"{name}.tex" for name in TABLES_OF_PRINT if not notebooks)]) as work,
        held_origins(read) as work.made_from,
        progress_bar("drawing") as show,
    ):
        written, missing = _write_tables(results, work.folder) if not notebooks else ([], [])
        parameters = {"tables": str(tables), "results": str(results)}
        for done, source in enumerate(sources):
            show(done, len(sources))
            try:
                written += print_figures(source, parameters, work, known[source])
            except NotRun as failed:
                missing.append(str(failed))
        for line in missing:
            print(f"left out: {printable(line)}")
        count = sum(path.suffix == ".tex" and path.parent != work.folder for path in written)
        print(f"{count} figures in {printable(str(out))}")
        if not written:
            raise typer.Exit(SOME_LEFT_OUT)  # what is in the folder stays
        list_figures(work, out, written)
    raise typer.Exit(SOME_LEFT_OUT if missing else ALL_WRITTEN)


def _notebooks(own: bool) -> dict[Path, str]:
    """The notebooks that draw, and each one's folder: those beyond the paper where their tables are and traces are not
    the user's own."""
    place = of_project(NOTEBOOKS)
    folders = [place] if own or not of_project(BEYOND_TABLES).is_dir() else [place, place / "beyond"]
    paths = (path for folder in folders for path in sorted(folder.glob("*.ipynb")) if path.stem != "report")
    return {path: path.relative_to(place).with_suffix("").as_posix() for path in paths}


def _beyond_tables(known: Mapping[Path, str]) -> list[Path]:
    """The tables beyond the paper, where notebooks that draw them are known."""
    drawn = any(Path(place).parts[0] == "beyond" for place in known.values())
    return sorted(of_project(BEYOND_TABLES).glob("*.parquet")) if drawn else []


def _chosen(names: Sequence[str], known: Mapping[Path, str]) -> list[Path]:
    """The notebooks of these names, all where there is none. Raises BadParameter."""
    by_name = {name: path for path, name in known.items()}
    if unknown := [name for name in names if name not in by_name]:
        raise typer.BadParameter(
            f"no such notebook: {printable(', '.join(unknown))}; there are {', '.join(by_name)}.",
            param_hint="NOTEBOOKS",
        )
    return [by_name[name] for name in names or by_name]


class NotRun(RuntimeError):
    """A notebook whose cells raise: which cell, and what, in one line."""


def run_cells(source: Path, parameters: Mapping[str, object]) -> "Study":
    """Run a notebook's code in this process and return its study, which knows what was drawn, also by those before it.

    parameters: those that the notebook's own cell of parameters names replace its values. Raises NotRun.
    """
    cells = enumerate(json.loads(source.read_text(encoding="utf-8"))["cells"], start=1)
    space: dict[str, Any] = {"__name__": source.stem, "display": lambda *_: None}
    drawn: dict[str, Any] = {}
    for number, cell in ((number, cell) for number, cell in cells if cell["cell_type"] == "code"):
        try:
            with redirect_stdout(StringIO()), chdir(PROJECT):  # notebooks read what is the project's there
                exec(compile("".join(cell["source"]), f"{source}, cell {number}", "exec"), space)
        except Exception as error:  # whatever it is, the other notebooks can be run
            first = str(error).strip().partition("\n")[0]
            raise NotRun(f"{source}, cell {number}: {type(error).__name__}: {first}") from None
        if "parameters" in cell["metadata"].get("tags", ()):
            space |= {name: value for name, value in parameters.items() if name in space}
        drawn |= getattr(space.get("study"), "drawn", {})
    study: Study = space["study"]
    study.drawn = drawn
    return study


def print_figures(source: Path, parameters: Mapping[str, object], work: Staged, place: str) -> list[Path]:
    """Write a notebook's figures into a folder `place`, each as PDF and the LaTeX that includes it from the one above.

    Returns the files. Raises NotRun.
    """
    from pipeline.reports.plots.layout import COLUMN, WIDTHS, at_width
    from pipeline.reports.plots.style import save

    out = work.folder
    drawn = run_cells(source, {**parameters, "figures": str((work.scratch / "drawn").resolve())}).drawn
    written = []
    for name, figure in drawn.items():
        for ending, inches in WIDTHS.items():
            sized = figure if inches == COLUMN else at_width(figure, inches)
            save(sized, path := out / place / f"{name}{ending}.pdf")
            written.append(path)
        written.append(_write(out / place / f"{name}.tex", figure_tex(f"{place}/{name}", str(figure.get_label()))))
    return written


def list_figures(work: Staged, out: Path, written: Sequence[Path]) -> None:
    """Write `figures.tex`, which includes all figures. Those of an earlier run into `out` are among them if they were
    made from the same; otherwise they go."""
    if work.earlier.made_from == work.made_from:
        work.keep = {name for name in work.earlier.files if name != "figures.tex"}
    files = {name: out / name for name in work.keep} | {p.relative_to(work.folder).as_posix(): p for p in written}
    texts = (files[n].read_text(encoding="utf-8") for n in sorted(files) if n.endswith(".tex") and "/" in n)
    _write(work.folder / "figures.tex", "\n".join(texts))


def figure_tex(name: str, caption: str) -> str:
    """A figure with its caption, as LaTeX. name: its path without an ending."""
    from pipeline.reports.latex import escape_tex

    body = [f"\\includegraphics{{{name}}}", f"\\caption{{{escape_tex(caption)}}}", f"\\label{{fig:{name}}}"]
    return "\n".join(["\\begin{figure}", "\\centering", *body, "\\end{figure}"]) + "\n"


def _write_tables(results: Path, out: Path) -> tuple[list[Path], list[str]]:
    """Write each table of print into the folder. Returns the files, and a line for each whose result is not there."""
    from pipeline.reports.latex import written_tables

    tables = list(written_tables(results))
    written = [_write(out / name, text) for name, text in tables if text is not None]
    return written, [line for line, text in tables if text is None]


def _write(path: Path, text: str) -> Path:
    """Write the file; returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
