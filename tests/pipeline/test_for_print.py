"""What a paper takes over: figures from a notebook's cells, and tables as LaTeX."""

import json
import re
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.derive.verify import verified
from pipeline.reports.for_print import NotRun, run_cells
from pipeline.reports.latex import booktabs, escape_tex


def notebook(folder: Path, *cells: str, name: str = "n") -> Path:
    tagged = [{"tags": ["parameters"]}, *({} for _ in cells[1:])]
    listed = [
        {"cell_type": "code", "source": [cell], "metadata": tags} for cell, tags in zip(cells, tagged, strict=True)
    ]
    path = folder / f"{name}.ipynb"
    folder.mkdir(exist_ok=True)
    path.write_text(json.dumps({"cells": listed}), encoding="utf-8")
    return path


FIRST = "from types import SimpleNamespace as Study\nprint(figures)\nstudy = Study(drawn={'one': 1})"
LATER = "study = Study(told=(figures, 'tables' in globals()), drawn={'two': 2})"


def test_cells_run_with_the_parameters_that_they_name_and_every_figure_is_known(tmp_path: Path) -> None:
    source = notebook(tmp_path, "figures = 'here'", FIRST, LATER)
    study = run_cells(source, {"figures": "there", "tables": "other"})
    assert vars(study) == {"told": ("there", False), "drawn": {"one": 1, "two": 2}}


def test_a_cell_that_raises_is_named_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(NotRun, match=r"^.*n\.ipynb, cell 2: ValueError: first$"):
        run_cells(notebook(tmp_path, "figures = ''", "raise ValueError('first\\nsecond')"), {})


TEX = {
    "95 % of R&D_x": r"95 \% of R\&D\_x",
    "−1 ± ε": r"$-$1 $\pm$ $\varepsilon$",
    r"\input{x}": r"\textbackslash{}input\{x\}",
}


@pytest.mark.parametrize(("text", "tex"), TEX.items())
def test_text_is_printed_as_it_is(text: str, tex: str) -> None:
    assert escape_tex(text) == tex


def test_a_table_has_a_rule_between_groups_and_no_words_for_what_is_missing() -> None:
    groups = {kind: pl.DataFrame({"name": [name], "ratio": [value]}) for kind, name, value in GROUPS}
    assert booktabs(groups, "A caption.", "a").splitlines()[6:] == [
        r"\begin{tabular}{lr}", r"\toprule", r" & ratio \\", r"\midrule",
        r"\multicolumn{2}{l}{\emph{protocols}} \\", r"IMAP & 0.92 \\", r"\midrule", r"A\_model &  \\",
        r"\bottomrule", r"\end{tabular}", r"\end{table}",
    ]  # fmt: skip


GROUPS = (("protocols", "IMAP", "0.92"), ("", "A_model", None))


DRAWN = """from types import SimpleNamespace
from pipeline.reports.plots.layout import any_width, subplots

@any_width
def draw():
    figure, _ = subplots()
    figure.set_label(caption)
    return figure

study = SimpleNamespace(drawn={"plane": draw()})"""


@pytest.mark.slow
def test_one_notebook_drawn_anew_keeps_the_figures_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tables").mkdir()
    Path("tables/games.parquet").touch()
    for name, caption in (("20_two", "Second."), ("10_one", "First."), ("20_two", "Third.")):
        notebook(tmp_path / "notebooks", f"caption = {caption!r}", DRAWN, name=name)
        drawn = CliRunner().invoke(app, ["figures", name, "--tables", "tables", "--results", "none", "--out", "print"])
        assert drawn.stdout == "1 figures in print\n"
    tex = Path("print/figures.tex").read_text(encoding="utf-8")
    assert re.findall(r"\\includegraphics{(.*)}\n\\caption{(.*)}", tex) == [
        ("10_one/plane", "First."),
        ("20_two/plane", "Third."),
    ]
    assert {path.name for path in Path("print/20_two").iterdir()} == {"plane.pdf", "plane_half.pdf", "plane.tex"}
    Path("tables/games.parquet").write_text("other tables", encoding="utf-8")
    CliRunner().invoke(app, ["figures", "10_one", "--tables", "tables", "--results", "none", "--out", "print"])
    assert "10_one/plane" in Path("print/figures.tex").read_text(encoding="utf-8")
    assert {path.name for path in Path("print").rglob("*.pdf")} == {"plane.pdf", "plane_half.pdf"}
    assert verified(Path("print"))[0] == []
