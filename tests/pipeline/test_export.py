"""The command `export`: what a dataset folder holds, by the conventions of the Hub and of Croissant."""

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import yaml
from test_show import called, tables

from machine.files import file_digest
from tests.imports import ROOT

__all__ = ["tables"]

LICENSED = ("--license", str(ROOT / "LICENSE"))


def test_a_dataset_says_of_every_file_its_digest_and_of_every_column_its_meaning(tables: Path, tmp_path: Path) -> None:
    out = tmp_path / "dataset"
    assert called("export", out, "--tables", tables, *LICENSED).exit_code == 0
    sums = dict(reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
    files = {str(p.relative_to(out)): file_digest(p) for p in out.rglob("*") if p.is_file()}
    assert files.pop("SHA256SUMS") and files.pop("export.manifest.json")
    assert sums == files and {"README.md", "LICENSE", "croissant.json", "data/games.parquet"} <= files.keys()
    described = json.loads((out / "croissant.json").read_text(encoding="utf-8"))
    assert {f["contentUrl"]: f["sha256"] for f in described["distribution"]}.items() <= files.items()
    for rows in described["recordSet"]:
        assert [f["name"] for f in rows["field"]] == pl.read_parquet(out / "data" / f"{rows['name']}.parquet").columns
        assert all(f["description"] for f in rows["field"])
    head = yaml.safe_load((out / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    assert {c["data_files"] for c in head["configs"]} == {f for f in files if f.startswith("data/")}


def test_games_of_one_s_own_are_not_given_under_the_project_s_licence(tables: Path, tmp_path: Path) -> None:
    told = called("export", tmp_path / "dataset", "--tables", tables)
    assert told.exit_code == 2 and "--license" in told.output and not (tmp_path / "dataset").exists()


READ_BY_OTHERS = """
import json, sys
import datasets, mlcroissant
described = mlcroissant.Dataset(jsonld=f"{sys.argv[1]}/croissant.json")
issues = described.metadata.ctx.issues
found = {"croissant": sorted(map(str, issues.errors | issues.warnings)), "rows": {}}
for name in datasets.get_dataset_config_names(sys.argv[1]):
    loaded = datasets.load_dataset(sys.argv[1], name, split="train", cache_dir=sys.argv[2])
    found["rows"][name] = [loaded.num_rows, sum(1 for _ in described.records(name)), loaded.column_names]
print(json.dumps(found))
"""


@pytest.mark.slow
def test_mlcroissant_finds_no_fault_in_a_dataset_and_reads_as_many_rows_as_datasets(
    tables: Path, tmp_path: Path
) -> None:
    out = tmp_path / "dataset"
    assert called("export", out, "--tables", tables, *LICENSED).exit_code == 0
    offline = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    reader = [sys.executable, "-c", READ_BY_OTHERS, str(out), str(tmp_path / "cache")]
    done = subprocess.run(reader, env=offline, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["croissant"] == [] and "@context" not in done.stderr, done.stderr
    written = {path.stem: pl.read_parquet(path) for path in (out / "data").iterdir()}
    assert found["rows"] == {name: [frame.height, frame.height, frame.columns] for name, frame in written.items()}


@pytest.mark.parametrize("words", [(".",), ("new", "--name", "N\n# evil")])
def test_no_place_and_no_name_that_is_none_is_taken(
    words: tuple[str, ...], tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert called("export", *words, "--tables", tables, *LICENSED).exit_code == 2
    assert not (tmp_path / "here" / "new").exists()
