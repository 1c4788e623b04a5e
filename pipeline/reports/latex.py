"""Tables of the study as LaTeX (booktabs): means with their intervals below, and the paper's models."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from machine.terminal import escaped
from pipeline.reports.measures import MEASURES, TABLE1, scale_note, titles
from pipeline.reports.plots.dots import paper_models, with_intervals, with_names, with_text
from pipeline.reports.plots.style import KINDS

if TYPE_CHECKING:
    from pipeline.reports.notebook_session import Study

HEADINGS = {
    "acquiescence_pct": "acquiescence, %",
    "pushback_pct": "pushback, %",
    "se": "standard error",
    "p_one_sided": "p, one-sided",
    "p_permutation": "p, permuted",
}
MEANS = "Means over games with 95 % intervals below, of which the paper prints none"


def written_tables(results: Path) -> Iterator[tuple[str, str | None]]:
    """The name of each of TABLES_OF_PRINT and its LaTeX, or None where its result is not there."""
    for name, build in TABLES_OF_PRINT.items():
        try:
            yield f"{name}.tex", build(results)
        except FileNotFoundError as missing:
            yield f"{name}.tex: {Path(missing.filename).name} is not there", None


def table1(results: Path, setting: str) -> str:
    """Table 1 of a setting, the study's teams with intervals beside the paper's models."""
    study = _study(results)
    ours = with_names(study.result("table1").filter(condition="standard", setting=setting))
    known = with_intervals(ours, study.intervals("table1"), TABLE1)
    theirs = paper_models(study.paper("Table 1").filter(setting=setting))
    scale = scale_note(study.reading)
    caption = f"Coordination, cost, messages, fairness and privacy loss where costs are {setting}. {MEANS}. {scale}"
    rows, decimals = pl.concat([known, theirs], how="diagonal_relaxed"), {name: MEASURES[name][1] for name in TABLE1}
    return _by_kind(rows, decimals, caption, f"table1-{setting}", titles(study.reading))


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
    note = f" Simulated speakers, no models: {simulated}." if simulated else ""
    return booktabs({"": text}, f"Occurrences of each pattern for 100 messages.{note}", "table4")


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


def _by_kind(
    rows: pl.DataFrame, decimals: Mapping[str, int], caption: str, label: str, heads: Mapping[str, str] = HEADINGS
) -> str:
    """A table of teams and measures, a group of rows a kind; intervals stand below their means."""
    text = with_text(rows, decimals).select("kind", "name", *decimals).sort("name").rename(heads, strict=False)
    present = [kind for kind in KINDS if kind in text["kind"]]
    return booktabs(
        {KINDS[kind][0]: two_lines(text.filter(kind=kind).drop("kind")) for kind in present}, caption, label
    )


def two_lines(text: pl.DataFrame) -> pl.DataFrame:
    """Each row, and below it one of its intervals where it has any. text: values such as `0.92 [0.64, 1.19]`."""
    parts = [(name, [(cell or "").partition(" [") for cell in cells]) for name, *cells in text.iter_rows()]
    lines = (((name, *(p[0] for p in part)), ("", *(f"{p[1][1:]}{p[2]}" for p in part))) for name, part in parts)
    rows = [line for pair in lines for line in pair if any(line)]
    return pl.DataFrame(rows, schema=text.schema, orient="row")


def booktabs(groups: Mapping[str, pl.DataFrame], caption: str, label: str) -> str:
    """Rows of text as a LaTeX table, its first column to the left. groups: a heading, or none, to rows beneath it.

    All groups have the same columns; a rule stands between them.
    """
    columns = next(iter(groups.values())).columns
    names = ["", *(HEADINGS.get(name, name.replace("_", " ")) for name in columns[1:])]
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
    line = " & ".join(map(escape_tex, cells)) + r" \\"
    return f"{{}}{line}" if line.startswith("[") else line  # a bracket after a line break would be its option


TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "–": "--",
    "±": r"$\pm$",
    "ε": r"$\varepsilon$",
} | {sign: f"\\{sign}" for sign in "&%$#_{}"}


def escape_tex(text: str) -> str:
    """Text that LaTeX prints as it is, in one line."""
    return "".join(TEX.get(sign, sign) for sign in escaped(text))
