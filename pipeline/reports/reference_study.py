"""Whether the tables at hand are the study's own: its games, under its parameters.

The paper's claims are asserted on those alone. On other traces or parameters they give a verdict.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.privacy.recorded import recorded_reading
from pipeline.tables import paths
from pipeline.tables.io import write_json
from pipeline.tables.paths import read_yaml

ROOT = paths.ROOT
REFERENCE, PARAMS = ROOT / "data/paper/shipped.json", ROOT / "params.yaml"
# For what goes beyond the paper: the same games, under their own parameters.
REFERENCE_BEYOND, PARAMS_BEYOND = ROOT / "data/paper/shipped_beyond.json", ROOT / "notebooks/beyond/params.yaml"


def fingerprint(tables: Path, params: Path = PARAMS) -> dict[str, Any]:
    """The parameters, by their dotted names, and a digest of the identities of all games in a folder of tables."""
    values = named_values(read_yaml(params))
    games = "\n".join(pl.read_parquet(tables / "games.parquet", columns=["game_id"], glob=False)["game_id"].sort())
    return {"params": values, "games": hashlib.sha256(games.encode()).hexdigest()}


def named_values(values: Mapping[Any, Any], prefix: str = "") -> dict[str, Any]:
    """Nested parameters as dotted name → value; a list is one value, as text."""
    named: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            named |= named_values(value, f"{prefix}{key}.")
        else:
            named[f"{prefix}{key}"] = str(value) if isinstance(value, list) else value
    return named


def changed_parameters() -> list[str]:
    """What of the parameters is not as it was shipped, a text each: "vps.prior is 0.3, not 0.5"."""
    changes = []
    for reference, params in ((REFERENCE, PARAMS), (REFERENCE_BEYOND, PARAMS_BEYOND)):
        if reference.is_file() and params.is_file():
            shipped = json.loads(reference.read_text(encoding="utf-8"))["params"]
            now = named_values(read_yaml(params))
            names = [name for name in shipped | now if shipped.get(name) != now.get(name)]
            changes += [f"{name} is {now.get(name, 'missing')}, not {shipped.get(name, 'there')}" for name in names]
    return changes


def is_reference(tables: Path, reference: Path = REFERENCE, params: Path = PARAMS) -> bool:
    """Whether the tables hold the games and were made with the parameters that the project ships."""
    if not reference.is_file() or not params.is_file():
        return False
    vps, recorded = read_yaml(PARAMS)["vps"], recorded_reading(tables)
    if recorded and recorded[:2] != (vps["rules"], vps["english"]):
        return False
    return bool(fingerprint(tables, params) == json.loads(reference.read_text(encoding="utf-8")))


def make_reference(tables: Path, reference: Path = REFERENCE, params: Path = PARAMS) -> None:
    """Make the games and parameters at hand those on which the claims are asserted."""
    write_json(fingerprint(tables, params), reference)
