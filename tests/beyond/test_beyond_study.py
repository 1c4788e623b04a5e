"""What a notebook beyond the paper has at hand: when it is about the study's own games and parameters, and when not."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from matplotlib.axes import Axes
from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.beyond.study import Beyond, look
from pipeline.reports.notebook_session import NOT_REFERENCE
from pipeline.reports.plots.layout import HALF_COLUMN, at_width
from pipeline.reports.reference_study import PARAMS_BEYOND, ROOT, is_reference, make_reference

NOTEBOOKS = sorted((ROOT / "notebooks/beyond").glob("*.ipynb"))


@pytest.fixture
def notebook() -> Iterator[None]:
    """The shell that code in a notebook runs in."""
    InteractiveShell.instance()
    yield
    InteractiveShell.clear_instance()


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A folder with a game, marked under the parameters at hand: `paper`, and `beyond`; `older`: under others."""
    pl.DataFrame({"game_id": ["a"]}).write_parquet(tmp_path / "games.parquet")
    (tmp_path / "older.yaml").write_text("strategy: {alpha: 0.1}\n")
    make_reference(tmp_path, tmp_path / "paper.json")
    make_reference(tmp_path, tmp_path / "beyond.json", PARAMS_BEYOND)
    make_reference(tmp_path, tmp_path / "older.json", tmp_path / "older.yaml")
    return tmp_path


@pytest.mark.parametrize(
    ("paper", "beyond", "told"),
    [("paper", "beyond", 0), ("paper", "older", 1), ("none", "beyond", 1), ("none", "older", 1)],
)
@pytest.mark.usefixtures("notebook")
def test_a_notebook_says_once_that_games_or_parameters_are_others(
    tables: Path, paper: str, beyond: str, told: int
) -> None:
    with capture_output() as shown:
        study = Beyond(tables / "figures", tables, tables, tables, tables / f"{paper}.json", tables / f"{beyond}.json")
    assert [output.data.get("text/markdown") for output in shown.outputs] == [NOT_REFERENCE] * told
    assert study.is_reference == (told == 0)


def test_ship_names_the_files_it_wrote_as_seen_from_the_project(tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.reports.reference_study.ROOT", tables)
    for name, path in (("REFERENCE", "a.json"), ("REFERENCE_BEYOND", "b.json")):
        monkeypatch.setattr(f"pipeline.reports.reference_study.{name}", tables / path)
    result = CliRunner().invoke(app, ["ship", "--tables", str(tables)])
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1] == "told by a.json and b.json"
    assert is_reference(tables, tables / "a.json")
    assert is_reference(tables, tables / "b.json", PARAMS_BEYOND)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_short_enough_to_read_and_draws_with_one_import_of_ours(path: Path) -> None:
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    code = ["".join(cell["source"]) for cell in cells]
    lines = [line for cell in code for line in cell.splitlines() if line.strip()]
    assert len(lines) <= 140 and max(map(len, lines)) <= 100
    assert max(len(cell.splitlines()) for cell in code) <= 15 and len(code) <= 23
    assert {line.split()[1].partition(".")[0] for line in lines if re.match("from|import", line)} <= {
        "polars", "scipy", "pipeline"}  # fmt: skip
    assert sum(line.startswith("from pipeline") for line in lines) == 1
    assert sum(".claim(" in line for line in lines) <= 4 and "lambda" not in " ".join(code)


def test_a_figure_keys_each_label_once_and_is_drawn_anew_at_half_the_width(tables: Path) -> None:
    study = Beyond(tables / "figures", tables, tables, tables)

    def draw(axes: Axes, slope: int) -> list[tuple[float, float, str]]:
        axes.plot([1, 10], [slope, 10 * slope], **look("poll-0", label="polling"))
        axes.set(xscale="log")
        return [(10, 10 * slope, "end")]

    study.draw("lines", "Two lines", [("one", 1), ("two", 2)], draw, x="size")
    figure = at_width(study.drawn["lines"], HALF_COLUMN)
    assert [axes.get_title("left") for axes in figure.axes] == ["one", "two"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["polling"]
    assert all("end" in [text.get_text() for text in axes.texts] for axes in figure.axes)
