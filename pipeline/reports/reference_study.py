"""Whether the tables at hand are the study's own: its games, under its parameters.

The paper's claims are asserted on those alone. On other traces or parameters they give a verdict.
"""

import hashlib
import json
from pathlib import Path

import polars as pl

from pipeline.tables import paths
from pipeline.tables.io import write_json

ROOT = paths.ROOT
REFERENCE, PARAMS = ROOT / "data/paper/shipped.json", ROOT / "params.yaml"
# For what goes beyond the paper: the same games, under their own parameters.
REFERENCE_BEYOND, PARAMS_BEYOND = ROOT / "data/paper/shipped_beyond.json", ROOT / "notebooks/beyond/params.yaml"


def fingerprint(tables: Path, params: Path = PARAMS) -> dict[str, str]:
    """Digests of the parameters' values and of the identities of all games in a folder of tables."""
    import yaml

    values = json.dumps(yaml.safe_load(params.read_text(encoding="utf-8")), sort_keys=True)
    games = "\n".join(pl.read_parquet(tables / "games.parquet", columns=["game_id"])["game_id"].sort())
    return {"params": _digest(values), "games": _digest(games)}


def is_reference(tables: Path, reference: Path = REFERENCE, params: Path = PARAMS) -> bool:
    """Whether the tables hold the games and were made with the parameters that the project ships."""
    if not reference.is_file() or not params.is_file():
        return False
    return bool(fingerprint(tables, params) == json.loads(reference.read_text(encoding="utf-8")))


def make_reference(tables: Path, reference: Path = REFERENCE, params: Path = PARAMS) -> None:
    """Make the games and parameters at hand those on which the claims are asserted."""
    write_json(fingerprint(tables, params), reference)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
