"""Names that many rooms share: the study's paths and parameters, the names of protocols."""

from pathlib import Path
from typing import Any

from machine.files import PROJECT
from machine.manifests import any_manifest, manifest_path

ROOT = PROJECT  # where the project's own files are
TRACES = Path("data/traces")
TABLES = Path("data/tables")
RESULTS = Path("data/results")
NUMBERS = Path("data/paper/numbers.csv")
PAPER_SUITE = Path("data/suites/paper72.csv")  # the 72 published tasks
DATABASE = Path("data/calbench.duckdb")
BEYOND_DIGESTS = Path("data/beyond/calbench.duckdb.json")  # of what the second study adds to the database (stamp.py)
PARAMS = Path("params.yaml")
METADATA, SUMS = "croissant.json", "SHA256SUMS"  # of a folder that `export` wrote


def read_yaml(path: Path) -> Any:
    """What a YAML file holds, read by LibYAML where it is there, in a fifth of the time."""
    import yaml

    return yaml.load(path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def params(section: str, folder: Path = Path()) -> dict[str, Any]:
    """A section of the params.yaml of a folder, the current one if none is given."""
    sections: dict[str, dict[str, Any]] = read_yaml(folder / PARAMS)
    return sections[section]


def no_tables(folder: Path) -> str:
    """Why a command that takes tables, each a file, finds none in a folder, and the remedy; empty where it has them."""
    if (folder / "games.parquet").is_file():
        return unfinished(folder)
    return tables_problem(folder) or missing_tables(folder)


def missing_tables(folder: Path) -> str:
    """That a folder holds no tables, and what makes them there: `make repro` those of the study, `derive` any other."""
    if (folder / "games.csv").is_file():
        return f"{folder} holds tables as CSV alone, which are for other programs: derive without --format csv"
    if folder.suffix == DATABASE.suffix:
        return f"no database {folder}: run `make repro` for the study's, or `python -m pipeline database` for your own"
    of_study = folder.resolve() in (TABLES.resolve(), (ROOT / TABLES).resolve())
    remedy = "run `make repro`" if of_study else "derive them first (python -m pipeline derive TRACES --out DIR)"
    return f"no tables in {folder}: {remedy}"


def unfinished(folder: Path) -> str:
    """That a folder may hold tables of two runs, as the last was killed; else empty."""
    problem = any_manifest(manifest_path(folder, "derive")).unfinished
    return f"{folder}: {problem}" if problem else ""


def tables_problem(folder: Path) -> str:
    """That a folder holds tables of two runs, or in partitions, for a command that takes neither; else empty."""
    if (problem := unfinished(folder)) or not any(folder.glob("games/team=*")):
        return problem
    return f"{folder} holds tables in partitions, which `sql`, `show` and `Tables` read: derive without --partition"


# Team → the method's name in the paper.
PAPER_PROTOCOLS = {"imap": "IMAP", "sd": "SD-MAP", "dsm-welfare": "DSM-Welfare", "dsm-private": "DSM-Private"}

# What goes beyond the paper: a protocol, its name, and its name with a parameter.
EXTRA_PROTOCOLS = {
    "secure": ("secure sums", "secure sums, {} at once"),
    "shares": ("secret shares", "secret shares among {}"),
    "poll": ("polling", "polling {}"),
    "imap-noisy": ("noisy IMAP", "noisy IMAP, ε = {}"),
    "imap-kbit": ("k-bit IMAP", "k-bit IMAP, k = {}"),
    "dsm-log": ("DSM, log scores", "DSM, log scores, {} points"),
}
