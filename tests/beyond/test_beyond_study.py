"""What a notebook beyond the paper has at hand: when it is about the study's own games and parameters, and when not."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.beyond.study import Beyond
from pipeline.reports.notebook_session import NOT_REFERENCE
from pipeline.reports.reference_study import PARAMS_BEYOND, is_reference, make_reference


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


def test_approve_names_the_files_it_wrote_as_seen_from_the_project(tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.reports.reference_study.ROOT", tables)
    for name, path in (("REFERENCE", "a.json"), ("REFERENCE_BEYOND", "b.json")):
        monkeypatch.setattr(f"pipeline.reports.reference_study.{name}", tables / path)
    result = CliRunner().invoke(app, ["approve", "--tables", str(tables)])
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1] == "told by a.json and b.json"
    assert is_reference(tables, tables / "a.json")
    assert is_reference(tables, tables / "b.json", PARAMS_BEYOND)
