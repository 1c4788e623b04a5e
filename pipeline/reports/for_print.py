"""The command `figures`: each figure of the notebooks, whose cells are run without a kernel, as PDF at a column's width
and at half of it, and tables as LaTeX."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import polars as pl
import typer

from machine.files import replacing
from machine.terminal import progress_bar
from pipeline.reports.plots.dots import paper_models, with_intervals, with_names, with_text
from pipeline.reports.plots.layout import COLUMN, HALF_COLUMN, at_width
from pipeline.reports.plots.style import KINDS, save
from pipeline.traces.limits import printable

if TYPE_CHECKING:
    from pipeline.reports.notebook_session import Study

NOTEBOOKS = Path("notebooks")
TABLES, RESULTS, BEYOND_TABLES = Path("data/tables"), Path("data/results"), Path("data/beyond/tables")
WIDTHS = {"": COLUMN, "_half": HALF_COLUMN}  # after a figure's name, in inches

ALL_WRITTEN, SOME_LEFT_OUT = 0, 3
EXAMPLES = """
Examples:

  python -m pipeline figures --out print

  python -m pipeline figures 20_privacy_plane --out print

  python -m pipeline figures --tables my-report/tables --results my-report/results --out print

Of each figure NAME.pdf is 5.5 inches wide and NAME_half.pdf 2.75, with no words below 7 points; NAME.tex includes it
with its caption, and figures.tex holds those of all notebooks drawn into the folder, now or before. Each table is a
file of its own, for \\usepackage{booktabs}.

Exit code: 0 when all were written, 3 when a notebook failed or a result is missing (the others are), 2 for bad usage.
"""


def figures(
    notebooks: Annotated[list[str] | None, typer.Argument(help="Notebooks, by name; all where none is named.")] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the files.")] = Path("print"),
    tables: Annotated[Path, typer.Option(help="Folder of tables.")] = TABLES,
    results: Annotated[Path, typer.Option(help="Folder of their results.")] = RESULTS,
) -> None:
    """Write every figure as PDF at the widths of print, and tables as LaTeX."""
    known = _notebooks(own=tables != TABLES)
    sources = _chosen(notebooks or [], known)
    if not (tables / "games.parquet").is_file():
        raise typer.BadParameter(f"no tables in {printable(str(tables))}; run `make repro`.", param_hint="--tables")
    missing = list(write_tables(results, out)) if not notebooks else []
    parameters = {"tables": str(tables), "results": str(results)}
    drawn = 0
    with progress_bar("drawing") as show:
        for done, source in enumerate(sources):
            show(done, len(sources))
            try:
                drawn += print_figures(source, parameters, out, known[source])
            except NotRun as failed:
                missing.append(str(failed))
    printed = (path for folder in known.values() for path in sorted((out / folder).glob("*.tex")))
    _write(out / "figures.tex", "\n".join(path.read_text(encoding="utf-8") for path in printed))
    for line in missing:
        print(f"left out: {printable(line)}")
    print(f"{drawn} figures in {printable(str(out))}")
    raise typer.Exit(SOME_LEFT_OUT if missing else ALL_WRITTEN)


def _notebooks(own: bool) -> dict[Path, str]:
    """The notebooks that draw, and each one's folder: those beyond the paper where their tables are and traces are not
    the user's own."""
    folders = [NOTEBOOKS] if own or not BEYOND_TABLES.is_dir() else [NOTEBOOKS, NOTEBOOKS / "beyond"]
    found = (path for folder in folders for path in sorted(folder.glob("*.ipynb")) if path.stem != "report")
    return {path: path.relative_to(NOTEBOOKS).with_suffix("").as_posix() for path in found}


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
            with redirect_stdout(StringIO()):
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


def print_figures(source: Path, parameters: Mapping[str, object], out: Path, place: str) -> int:
    """Write a notebook's figures into `out/place`, each as PDF and the LaTeX that includes it from `out`.

    Returns how many there are. Raises NotRun.
    """
    with TemporaryDirectory() as drafts:
        drawn = run_cells(source, {**parameters, "figures": drafts}).drawn
    for name, figure in drawn.items():
        for ending, inches in WIDTHS.items():
            sized = figure if inches == COLUMN else at_width(figure, inches)
            save(sized, out / place / f"{name}{ending}.pdf")
        _write(out / place / f"{name}.tex", figure_tex(f"{place}/{name}", str(figure.get_label())))
    return len(drawn)


def figure_tex(name: str, caption: str) -> str:
    """A figure with its caption, as LaTeX. name: its path without an ending."""
    body = [f"\\includegraphics{{{name}}}", f"\\caption{{{escape_tex(caption)}}}", f"\\label{{fig:{name}}}"]
    return "\n".join(["\\begin{figure}", "\\centering", *body, "\\end{figure}"]) + "\n"


MEASURES = {"coordination_rate_pct": 2, "excess_cost": 2, "dms_per_meeting": 2, "fairness": 3, "vps_uniform_mean": 2}
HEADINGS = {
    "name": "",
    "coordination_rate_pct": "coordination, %",
    "excess_cost": "excess cost",
    "dms_per_meeting": "DMs a meeting",
    "vps_uniform_mean": "VPS",
    "acquiescence_pct": "acquiescence, %",
    "pushback_pct": "pushback, %",
    "se": "standard error",
    "p_one_sided": "p, one-sided",
    "p_permutation": "p, permuted",
}
MEANS = "Means over games with 95 % intervals below, of which the paper prints none"


def write_tables(results: Path, out: Path) -> Iterator[str]:
    """Write each of TABLES_OF_PRINT as a file of LaTeX. Yields a line for each whose result is not there."""
    for name, build in TABLES_OF_PRINT.items():
        try:
            _write(out / f"{name}.tex", build(results))
        except FileNotFoundError as missing:
            yield f"{name}.tex: {Path(missing.filename).name} is not there"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as target:
        target.write_text(text, encoding="utf-8")


def table1(results: Path, setting: str) -> str:
    """Table 1 of a setting, the study's teams with intervals beside the paper's models."""
    study = _study(results)
    ours = with_names(study.result("table1").filter(condition="standard", setting=setting))
    known = with_intervals(ours, study.intervals("table1"), list(MEASURES))
    theirs = paper_models(study.paper("Table 1").filter(setting=setting))
    caption = f"Coordination, cost, messages, fairness and privacy loss where costs are {setting}. {MEANS}."
    return _by_kind(pl.concat([known, theirs], how="diagonal_relaxed"), MEASURES, caption, f"table1-{setting}")


def table3(results: Path) -> str:
    """Table 3: how often teams acquiesce and push back, beside the paper's models."""
    study, columns = _study(results), {"acquiescence_pct": 1, "pushback_pct": 1, "ratio": 2}
    ours = study.result("stance").filter(pl.col("ratio").is_not_null(), condition="standard")
    known = with_intervals(ours.with_columns(setting=pl.lit(None, pl.String)), study.intervals("stance"), list(columns))
    theirs = paper_models(study.paper("Table 3")).rename({"acquiescence_to_pushback": "ratio"}, strict=False)
    rows = pl.concat([with_names(known), theirs], how="diagonal_relaxed")
    return _by_kind(rows, columns, f"Negotiation stance. {MEANS}.", "table3")


def table4(results: Path) -> str:
    """Table 4: occurrences of each pattern for 100 messages, a column a team."""
    counted = with_names(_study(results).result("patterns").filter(condition="standard"))
    each = counted.group_by("paper_rank", "pattern", "kind", "name").agg(
        rate=100 * pl.col("occurrences").sum() / pl.col("messages").sum()
    )
    order = [name for kind in KINDS for name in each.filter(kind=kind)["name"].unique().sort()]
    wide = each.sort("paper_rank").pivot("name", index=["paper_rank", "pattern"], values="rate")
    text = wide.select(pl.col("pattern").str.replace_all("_", " "), *(_rounded(name, 2) for name in order))
    simulated = ", ".join(each.filter(kind="simulated")["name"].unique().sort())
    said = f" Simulated speakers, no models: {simulated}." if simulated else ""
    return booktabs({"": text}, f"Occurrences of each pattern for 100 messages.{said}", "table4")


def mixed_effects(results: Path) -> str:
    """Appendix I: the effect of excess cost on privacy loss, by teams, setting and predictor."""
    decimals = {"beta": 4, "se": 4, "p_one_sided": 3, "p_permutation": 3}
    rows = _study(results).result("mixed_effects").drop_nulls("beta").select(
        pl.col("teams").replace("styles", "simulated speakers (no model)"),
        *("setting", "predictor", pl.col("games").cast(pl.String)),
        *(_rounded(column, digits) for column, digits in decimals.items()),
    )  # fmt: skip
    return booktabs({"": rows}, "Mixed-effects test of the tradeoff between excess cost and privacy loss.", "mixed")


TABLES_OF_PRINT: Mapping[str, Callable[[Path], str]] = {
    "table1_uniform": lambda results: table1(results, "uniform"),
    "table1_varied": lambda results: table1(results, "varied"),
    "table3": table3,
    "table4": table4,
    "mixed_effects": mixed_effects,
}


def _study(results: Path) -> "Study":
    from pipeline.reports.notebook_session import Study

    return Study(results.parent / "tables", results, "")


def _rounded(column: str, decimals: int) -> pl.Expr:
    return pl.col(column).map_elements(lambda v: f"{v:.{decimals}f}".replace("-", "−"), return_dtype=pl.String)


def _by_kind(rows: pl.DataFrame, decimals: Mapping[str, int], caption: str, label: str) -> str:
    """A table of teams and measures, a group of rows a kind; intervals stand below their means."""
    text = with_text(rows, decimals).select("kind", "name", *decimals).sort("name")
    present = [kind for kind in KINDS if kind in text["kind"]]
    return booktabs(
        {KINDS[kind][0]: _two_lines(text.filter(kind=kind).drop("kind")) for kind in present}, caption, label
    )


def _two_lines(text: pl.DataFrame) -> pl.DataFrame:
    """Each row, and below it one of its intervals where it has any. text: values such as `0.92 [0.64, 1.19]`."""
    parts = [(name, [(cell or "").partition(" ") for cell in cells]) for name, *cells in text.iter_rows()]
    lines = (((name, *(p[0] for p in part)), ("", *(p[2] for p in part))) for name, part in parts)
    rows = [line for pair in lines for line in pair if any(line)]
    return pl.DataFrame(rows, schema=text.schema, orient="row")


def booktabs(groups: Mapping[str, pl.DataFrame], caption: str, label: str) -> str:
    """Rows of text as a LaTeX table, its first column to the left. groups: a heading, or none, to rows beneath it.

    All groups have the same columns; a rule stands between them.
    """
    columns = next(iter(groups.values())).columns
    names = [HEADINGS.get(name, name.replace("_", " ")) for name in columns]
    blocks = [[" & ".join(map(_heading, names)) + r" \\"]]
    for heading, rows in groups.items():
        above = [f"\\multicolumn{{{len(columns)}}}{{l}}{{\\emph{{{escape_tex(heading)}}}}} \\\\"] if heading else []
        blocks.append(above + [_line(["" if cell is None else cell for cell in row]) for row in rows.iter_rows()])
    body = "\n\\midrule\n".join("\n".join(block) for block in blocks)
    tabular = f"\\begin{{tabular}}{{l{'r' * (len(names) - 1)}}}\n\\toprule\n{body}\n\\bottomrule\n\\end{{tabular}}"
    looks = "\\begin{table}\n\\centering\n\\scriptsize\n\\setlength{\\tabcolsep}{2.5pt}"
    head = f"{looks}\n\\caption{{{escape_tex(caption)}}}\n\\label{{tab:{label}}}"
    return f"{head}\n{tabular}\n\\end{{table}}\n"


def _heading(name: str) -> str:
    """A column's name, where it is long in two lines, so that names make no table wider than a column of a page."""
    breaks = [i + 1 for i, sign in enumerate(name) if sign == (" " if " " in name else "-")]
    if len(name) < 10 or not breaks:
        return escape_tex(name)
    middle = min(breaks, key=lambda i: abs(2 * i - len(name)))
    return rf"\shortstack[r]{{{escape_tex(name[:middle].rstrip())}\\{escape_tex(name[middle:])}}}"


def _line(cells: Sequence[str]) -> str:
    return " & ".join(map(escape_tex, cells)) + r" \\"


TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "±": r"$\pm$",
    "ε": r"$\varepsilon$",
} | {sign: f"\\{sign}" for sign in "&%$#_{}"}


def escape_tex(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return "".join(TEX.get(sign, sign) for sign in text)
