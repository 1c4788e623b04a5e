"""What a paper takes over: figures from a notebook's cells, and tables as LaTeX."""

import json
import re
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.derive.verify import verified
from pipeline.reports.for_print import NotRun, figure_tex, run_cells
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


def test_cells_read_what_is_the_project_s_wherever_they_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cell = f"from pathlib import Path\n{FIRST}\nstudy.found = Path('data/paper/numbers.csv').is_file()"
    assert run_cells(notebook(tmp_path, "figures = ''", cell), {}).found and Path.cwd() == tmp_path


def test_a_cell_that_raises_is_named_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(NotRun, match=r"^.*n\.ipynb, cell 2: ValueError: first$"):
        run_cells(notebook(tmp_path, "figures = ''", "raise ValueError('first\\nsecond')"), {})


def test_notebooks_are_known_outside_the_project_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(app, ["figures", "nosuch"])
    assert told.exit_code == 2 and "no such notebook: nosuch; there are 00_one_game, 10_table1, " in told.output


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


HEADINGS = {
    "ratio": "ratio",
    "DSM-Private": r"\shortstack[r]{DSM-\\Private}",
    "p, one-sided": r"\shortstack[r]{p,\\one-sided}",
    "DMs a meeting": r"\shortstack[r]{DMs a\\meeting}",
    "coordination": "coordination",
}


@pytest.mark.parametrize(("name", "tex"), HEADINGS.items())
def test_a_long_heading_stands_in_two_lines(name: str, tex: str) -> None:
    table = booktabs({"": pl.DataFrame({"": [""], name: [""]})}, "A caption.", "a")
    assert table.splitlines()[8] == rf" & {tex} \\"


GROUPS = (("protocols", "IMAP", "0.92"), ("", "A_model", None))


def test_a_figure_has_its_caption_and_a_label() -> None:
    tex = figure_tex("20_privacy_plane/figure2", "It holds, for 95 %.")
    assert r"\includegraphics{20_privacy_plane/figure2}" in tex
    assert r"\caption{It holds, for 95 \%.}" in tex and r"\label{fig:20_privacy_plane/figure2}" in tex


DRAWN = """from types import SimpleNamespace
from pipeline.reports.plots.layout import any_width, subplots

@any_width
def draw():
    figure, _ = subplots()
    figure.set_label(caption)
    return figure

study = SimpleNamespace(drawn={"plane": draw()})"""


def test_where_nothing_could_be_drawn_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/games.parquet").touch()
    notebook(tmp_path / "notebooks", "figures = ''", "raise ValueError('no games')", name="10_one")
    words = ["figures", "10_one", "--tables", "tables", "--results", "none", "--out", "print"]
    told = CliRunner().invoke(app, words)
    assert told.exit_code == 3 and "cell 2: ValueError: no games\n0 figures in print\n" in told.output
    assert not (tmp_path / "print").exists()


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


@pytest.mark.slow
def test_figures_of_older_tables_beyond_the_paper_go_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("data/tables", "data/beyond/tables", "notebooks/beyond"):
        Path(folder).mkdir(parents=True)
    Path("data/tables/games.parquet").touch()
    for place, name in (("notebooks/beyond", "40_optima"), ("notebooks", "30_behaviour")):
        notebook(Path(place), "caption = 'It holds.'", DRAWN, name=name)
    for name, tables in (("beyond/40_optima", "before"), ("30_behaviour", "after")):
        Path("data/beyond/tables/optima.parquet").write_text(tables, encoding="utf-8")
        assert (
            CliRunner().invoke(app, ["figures", name, "--results", "none", "--out", "print"]).stdout
            == "1 figures in print\n"
        )
    assert {path.parent.name for path in Path("print").rglob("*.pdf")} == {"30_behaviour"}


@pytest.mark.parametrize("name", ["figures.tex", "table1_uniform.tex"])
def test_files_that_no_run_of_figures_wrote_are_not_replaced(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/games.parquet").touch()
    notebook(tmp_path / "notebooks", "caption = ''", DRAWN, name="10_one")
    own = tmp_path / "print" / name
    own.parent.mkdir(parents=True)
    own.write_text("mine", encoding="utf-8")
    told = CliRunner().invoke(app, ["figures", "--tables", "tables", "--results", "none", "--out", "print"])
    assert told.exit_code == 2 and "is not an output of `figures`" in " ".join(told.output.split())
    assert own.read_text(encoding="utf-8") == "mine" and [path.name for path in own.parent.iterdir()] == [own.name]
