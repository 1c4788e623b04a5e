"""The command `export`: tables as a dataset folder with card, Croissant metadata and checksums, or traces as the public
benchmark's result folder."""

import json
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from machine.files import PROJECT, file_digest, of_project
from machine.manifests import held_origins
from machine.output import new_folder, staged
from pipeline.tables.paths import METADATA, SUMS
from pipeline.tables.paths import TABLES as STUDY
from pipeline.tables.schemas.base import TABLES
from pipeline.traces.limits import printable

if TYPE_CHECKING:
    from pipeline.tables.schemas.table import Column, Table
    from pipeline.traces.sources import Source
    from pipeline.traces.trace import TraceError

EXAMPLES = """
Examples:

  calbench export dataset

  calbench export mine --tables tables --name my-games --license LICENSE

  calbench export --format calbench traces/ --out results

The dataset folder holds data/*.parquet, README.md (a dataset card), croissant.json, LICENSE and SHA256SUMS, which
`sha256sum --check SHA256SUMS` compares. `datasets.load_dataset("OUT", "games")` reads a table of it.
With --format calbench every trace is NAME.json with NAME.metadata.json, and a line of _run_manifest.jsonl, where the
public benchmark's scripts look for them. Exit code: 0 when every trace was written, 3 when some could not be read.
"""

UNREAD = 3

DATA, CARD, LICENSE = "data", "README.md", "LICENSE"
CITATION = "Zou, Yao, She, Hawkins: CalBench: Evaluating Coordination-Privacy Trade-offs in Multi-Agent LLMs (2026)"
PAPER = "https://arxiv.org/abs/2605.09823"
MIT = "https://opensource.org/license/mit"
PARQUET = "application/x-parquet"
TYPES = {"str": "sc:Text", "int": "sc:Integer", "float": "sc:Float", "bool": "sc:Boolean"}
# The terms of Croissant 1.0, as its specification lists them.
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


class Form(StrEnum):
    """What is written."""

    croissant = "croissant"
    calbench = "calbench"


def export(
    paths: Annotated[list[Path], typer.Argument(metavar="OUT|TRACES...", help="The folder to write; or the traces.")],
    form: Annotated[Form, typer.Option("--format", help="A dataset of tables, or the public benchmark's traces.")] = (
        Form.croissant
    ),
    out: Annotated[Path | None, typer.Option(help="The folder to write traces to, which is not there yet.")] = None,
    tables: Annotated[Path, typer.Option(help="Folder of tables.")] = STUDY,
    name: Annotated[str, typer.Option(help="The dataset's name.")] = "calbench-lab",
    license: Annotated[
        Path | None,
        typer.Option(help="Its licence; of games of your own to be named.", show_default="the study's: MIT"),
    ] = None,
) -> None:
    """Write tables as a dataset folder: Parquet files, a dataset card, Croissant metadata, licence, checksums. Or write
    traces as the public benchmark does, with --format calbench."""
    if form is Form.calbench:
        if out is None:
            raise typer.BadParameter("names no folder to write to; traces need one.", param_hint="--out")
        export_traces(paths, out)
        return
    if out or len(paths) != 1:
        raise typer.BadParameter("a dataset takes one folder, OUT, and no --out.", param_hint="OUT")
    export_tables(paths[0], of_project(tables), name, license)


def export_traces(paths: list[Path], out: Path) -> None:
    """Write the traces in the public form, without a manifest of ours, which the public scripts would take for a trace.
    Ends with exit code 3 if some could not be read."""
    from pipeline.traces.sources import find_sources

    if out.resolve() == Path.cwd():
        raise typer.BadParameter("is the current folder; name another.", param_hint="--out")
    try:
        sources = find_sources(paths)
    except FileNotFoundError as missing:
        raise typer.BadParameter(f"{printable(str(missing))} does not exist.", param_hint="TRACES") from None
    if not sources:
        raise typer.BadParameter("no trace in there (.json, .json.gz, .json.zst, .jsonl.zst).", param_hint="TRACES")
    unread: list[str] = []
    try:
        with new_folder(out) as folder:
            number = write_public_traces(sources, folder, unread)
    except ValueError as problem:
        raise typer.BadParameter(printable(str(problem)), param_hint="TRACES") from None
    for line in unread:
        print(printable(line), file=sys.stderr)
    print(f"{number} traces in {printable(str(out))}")
    if unread:
        raise typer.Exit(UNREAD)


def write_public_traces(sources: "Sequence[Source]", folder: Path, unread: list[str]) -> int:
    """Write each trace into the folder, and what the public harness writes beside them; returns how many there are.
    What cannot be read is added to `unread`, a line each. Raises ValueError where two games have one name.

    Of these sidecars nothing is known but their names: they repeat what tells one game from another.
    """
    written: dict[str, Any] = {}
    for path, found in public_traces(sources):
        if not isinstance(found, dict):
            unread.append(f"{path}: {found}")
            continue
        config = found["config"]
        name = re.sub(r"[^\w.-]", "_", str(config.get("experiment_run_id") or found["game_id"]))
        if name in written:
            raise ValueError(f"two games are called {name}, one of them in {path}; export them into two folders")
        told = ("experiment_run_id", "experiment_name", "task_id", "task_path", "seed", "communication_protocol")
        written[name] = {"game_id": found["game_id"], "trace": f"{name}.json"} | {n: config.get(n) for n in told}
        written[name] |= {"team_model_label": found["metrics"]["team_model_label"], "stopped": found["stopped"]}
        for suffix, content in ((".json", found), (".metadata.json", written[name])):
            (folder / f"{name}{suffix}").write_text(json.dumps(content, indent=2), encoding="utf-8")
    lines = "".join(json.dumps(told) + "\n" for told in written.values())
    (folder / "_run_manifest.jsonl").write_text(lines, encoding="utf-8")
    return len(written)


def public_traces(sources: "Sequence[Source]") -> "Iterator[tuple[str, dict[str, Any] | TraceError]]":
    """(path, the trace in the public form or why there is none) of every trace."""
    from pipeline.traces.public_form import public_form
    from pipeline.traces.sources import read_texts
    from pipeline.traces.trace import TraceError

    for source in sources:
        for path, text in read_texts(source):
            try:
                yield path, text if isinstance(text, TraceError) else public_form(text)
            except TraceError as problem:
                yield path, problem


def export_tables(out: Path, folder: Path, name: str, license: Path | None) -> None:
    """Write the tables as a dataset folder."""
    from pipeline.reports.reference_study import is_reference
    from pipeline.tables.io import check_tables
    from pipeline.tables.paths import no_tables

    if absent := no_tables(folder):
        raise typer.BadParameter(f"{printable(absent)}.", param_hint="--tables")
    if not name.isprintable():
        raise typer.BadParameter(f"{printable(name)} is no name in one line.", param_hint="--name")
    if license and not license.is_file():
        raise typer.BadParameter(f"{printable(str(license))} is no file.", param_hint="--license")
    if out.resolve() == Path.cwd():
        raise typer.BadParameter("is the current folder; name another.", param_hint="OUT")
    if not license and not is_reference(folder):
        reason = "the project's licence is not that of other games than its study's; name the file of yours"
        raise typer.BadParameter(f"{reason}.", param_hint="--license")
    try:
        check_tables(folder)
    except ValueError as problem:
        raise typer.BadParameter(printable(str(problem)), param_hint="--tables") from None
    print(f"{write_dataset(folder, out, name, license)} tables in {printable(str(out))}")


def write_dataset(tables: Path, out: Path, name: str, license: Path | None) -> int:
    """Write the folder, whole or not at all; returns how many tables it has: those with rows. license: none for the
    project's own. Raises OSError where a table was replaced meanwhile, UserError where other files are in the way."""
    paths = [path for path in sorted(tables.glob("*.parquet")) if path.stem in TABLES]
    with staged(out, "export", (CARD, METADATA, LICENSE, SUMS)) as work, held_origins({"tables": paths}) as origins:
        work.made_from = origins
        return fill_folder(work.folder, paths, name, license)


def fill_folder(folder: Path, paths: "Sequence[Path]", name: str, license: Path | None) -> int:
    """Write the dataset of the tables at these paths into an empty folder; returns how many have rows."""
    import polars as pl

    (folder / DATA).mkdir(parents=True)
    # `datasets` reads no file without rows.
    held = {p: TABLES[p.stem] for p in paths if pl.scan_parquet(p, glob=False).select(pl.len()).collect().item()}
    for path in held:
        shutil.copyfile(path, folder / DATA / path.name)
    shutil.copyfile(license or PROJECT / LICENSE, folder / LICENSE)
    tables = list(held.values())
    (folder / CARD).write_text(card(name, tables, own_license=license is not None), encoding="utf-8")
    described = croissant(name, tables, folder, MIT if license is None else LICENSE)
    (folder / METADATA).write_text(json.dumps(described, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sums = "".join(f"{file_digest(path)}  {path.relative_to(folder).as_posix()}\n" for path in files)
    (folder / SUMS).write_text(sums, encoding="utf-8")
    return len(held)


def card(name: str, tables: "Sequence[Table]", own_license: bool) -> str:
    """The dataset card: front matter from which the Hub and `datasets` know the tables, then what they are."""
    import yaml

    head = {
        "pretty_name": name,
        "license": "other" if own_license else "mit",
        "configs": [
            {"config_name": t.name, "data_files": f"{DATA}/{t.name}.parquet"}
            | ({"default": True} if t.name == "games" else {})
            for t in tables
        ],
    }
    lines = [f"| `{table.name}` | {table.row} | {', '.join(table.key)} |" for table in tables]
    return f"""---
{yaml.safe_dump(head, sort_keys=False)}---
# {name}

Games of CalBench ({PAPER}), in which agents with private calendars schedule meetings by talking: what happened, message
by message, and what it gave away. Teams with `simulated` in `games` are programs that imitate speakers, and no models.
`croissant.json` says what each column means and in which unit.

| table | one row is | key |
| --- | --- | --- |
{chr(10).join(lines)}

`sha256sum --check {SUMS}` compares every file.
"""


def croissant(name: str, tables: "Sequence[Table]", folder: Path, license: str) -> dict[str, Any]:
    """The dataset in Croissant 1.0, by the terms of its specification: each file with its digest, each column with its
    meaning. folder: where the files of the tables are, in DATA."""
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": name,
        "description": "Games in which agents with private calendars schedule meetings, and what their talk gave away.",
        "license": license,
        "url": PAPER,
        "citeAs": CITATION,
        "datePublished": date.today().isoformat(),
        "version": "1.0.0",
        "distribution": [file_object(folder / DATA / f"{table.name}.parquet") for table in tables],
        "recordSet": [record_set(table) for table in tables],
    }


def file_object(path: Path) -> dict[str, Any]:
    """A Parquet file."""
    where = f"{DATA}/{path.name}"
    entry = {"@type": "cr:FileObject", "@id": path.name, "name": path.name, "contentUrl": where}
    return entry | {"encodingFormat": PARQUET, "sha256": file_digest(path), "contentSize": f"{path.stat().st_size} B"}


def record_set(table: "Table") -> dict[str, Any]:
    """A table: what one row is, its key, and its columns."""
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": f"One row is {table.row}.",
        "key": [{"@id": f"{table.name}/{column}"} for column in table.key],
        "field": [field(table.name, column) for column in table.columns],
    }


def field(table: str, column: "Column") -> dict[str, Any]:
    """A column: its type, meaning and unit."""
    kind = column.dtype.removeprefix("list[").removesuffix("]")
    entry = {
        "@type": "cr:Field",
        "@id": f"{table}/{column.name}",
        "name": column.name,
        "description": f"{column.meaning} ({column.unit})" if column.unit else column.meaning,
        "dataType": TYPES[kind],
        "source": {"fileObject": {"@id": f"{table}.parquet"}, "extract": {"column": column.name}},
    }
    return entry | ({"repeated": True} if kind != column.dtype else {})
