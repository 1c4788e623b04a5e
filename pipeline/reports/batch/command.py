"""The commands `report` and `row`: pages about every team, and its row of Table 1."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, chdir, contextmanager
from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from machine.cores import cores
from machine.manifests import held_origins
from machine.output import Staged, staged
from pipeline.privacy.rules import ENGLISH_VERSIONS
from pipeline.tables.paths import RESULTS, ROOT, TABLES
from pipeline.traces.limits import print_rejections, printable

if TYPE_CHECKING:
    import polars as pl

    from pipeline.derive.parallel import Derived
    from pipeline.reports.batch.own_study import Selection
    from pipeline.reports.batch.pages import PageJob

ALL_WRITTEN, SOME_LEFT_OUT = 0, 3

EnglishOption = Annotated[
    str,
    typer.Option(metavar="NAME", help="How English was read, for tables that do not record it.", show_default=False),
]

EXAMPLES = """
Examples:

  calbench report --out reports

  calbench report --team imap --team candid --condition standard --out reports

  calbench report traces/my-model --out my-model

  calbench report traces/my-model --prices my-model.yaml --out my-model

Without TRACES: a page for every team and condition of the study. With TRACES: their rows of Table 1, their tables,
results and ledger, the study's notebooks over them, and a page for every team and condition. Where no trace can be
read, what is in the folder stays as it was.

Exit code: 0 when every page was made, 3 when traces were rejected, or results or pages could not be made (the others
are, and index.html lists what is missing), 2 for bad usage, 1 where there is no room to write.
"""

EXAMPLES_ROW = """
Examples:

  calbench row traces/my-model

  calbench row traces/my-model --format latex > row.tex

TRACES may also be a folder of tables that `derive` or `report` wrote.

Exit code: 0 when every trace was read, 3 when some were rejected (the others are in the row), 2 for bad usage.
"""


def report(
    traces: Annotated[
        list[Path] | None, typer.Argument(help="Files or folders of traces; none for the study's.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the pages.")] = Path("reports"),
    tables: Annotated[
        Path, typer.Option(help="Folder of tables, where no TRACES are given.", show_default="the study's")
    ] = ROOT / TABLES,
    results: Annotated[Path, typer.Option(help="Folder of their results.", show_default="the study's")] = ROOT
    / RESULTS,
    team: Annotated[list[str] | None, typer.Option(help="Only this team; may be given again.")] = None,
    condition: Annotated[list[str] | None, typer.Option(help="Only this condition; may be given again.")] = None,
    prices: Annotated[
        Path | None,
        typer.Option(help="A team's file with prices, for calls that record none.", show_default="the price table's"),
    ] = None,
    english: EnglishOption = "",
    workers: Annotated[int, typer.Option(min=0, help="Notebooks at a time; 0 for one a core.")] = 0,
) -> None:
    """Write self-contained pages that open without a network: one per team and condition, and a list of them."""
    if prices:
        _check_prices(prices)
    from pipeline.reports.batch.own_study import Selection

    selection = Selection(
        tables.resolve(), results.resolve(), frozenset(team or ()), frozenset(condition or ()), prices, english
    )
    check_english_option(english, traces or [])
    with staged(out, "report", ["index.html"]) as work:
        written, missing, complete = _write_report(traces or [], work, selection, workers or cores())
    for line in missing:
        print(f"error: {line}", file=sys.stderr)
    pages = f"{written} {'page' if written == 1 else 'pages'} in {out}; open {out / 'index.html'}"
    print(printable(pages), file=sys.stderr)
    raise typer.Exit(ALL_WRITTEN if complete else SOME_LEFT_OUT)


def refused(problem: str, option: str) -> typer.BadParameter:
    """The error of bad usage, in one line in which nothing controls the terminal."""
    return typer.BadParameter(printable(problem), param_hint=option)


@contextmanager
def reading_traces() -> Iterator[Callable[[int, int], None]]:
    """A progress bar for traces that are read. What does not exist is bad usage."""
    from machine.terminal import progress_bar

    try:
        with progress_bar("reading traces") as show:
            yield show
    except FileNotFoundError as missing:
        raise refused(f"{missing} does not exist.", "TRACES") from None


def count_rejected(derived: "Derived", traces: Sequence[Path]) -> int:
    """Print each rejected trace in a line; returns how many there are. Bad usage where no game is left."""
    print_rejections(derived.rejected)
    if not derived.games:
        kinds = ".json, .json.gz, .json.zst, .jsonl.zst"
        raise refused(f"no trace in {', '.join(map(str, traces))} that can be read ({kinds}).", "TRACES")
    return len(derived.rejected)


def _write_report(
    traces: Sequence[Path], work: Staged, selection: "Selection", workers: int
) -> tuple[int, list[str], bool]:
    """Make the pages and their list in a staged folder. Returns how many pages there are, a line for each that is
    missing, and whether none is, and no trace was rejected."""
    from pipeline.reports.batch.own_study import derive_study, made_from
    from pipeline.traces.audit.files import print_doubts

    missing: list[str] = []
    doubts: list[str] = []
    rejected = 0
    folder = work.folder.resolve()
    with ExitStack() as held:
        with reading_traces():
            origins = held_origins(made_from(traces, selection.tables, selection.results))
            work.made_from = held.enter_context(origins)
        if traces:
            with reading_traces() as show:
                doubts = print_doubts(traces, workers)
                study = derive_study(traces, folder, show)
            rejected, missing = count_rejected(study.derived, traces), list(study.failed)
            selection = selection._replace(tables=study.tables, results=study.results)
        _check_selection(selection)
        from pipeline.reports.batch.pages import FILES, kept_files, write_index

        jobs, failures = _make_pages(selection, folder, work.scratch.resolve(), workers, bool(traces))
        missing += [printable(f"{job.target.name}: {problem}") for job, problem in failures]
        write_index(jobs, folder, missing, first_table(selection), doubts, FILES if traces else ())
        work.keep = kept_files(work, jobs, bool(traces))
    return len(jobs) - len(failures), missing, not missing and not rejected


def _make_pages(
    selection: "Selection", out: Path, scratch: Path, workers: int, notebooks: bool
) -> "tuple[list[PageJob], list[tuple[PageJob, str]]]":
    """Make the pages. Returns all, and those that could not be made with what was wrong."""
    from machine.terminal import progress_bar
    from pipeline.reports.batch.pages import page_jobs, write_pages

    jobs = page_jobs(selection, out, scratch, notebooks)
    with progress_bar("making pages") as show, chdir(ROOT):  # notebooks read what is the project's there
        return jobs, write_pages(jobs, workers, show)


def first_table(selection: "Selection") -> str:
    """The selected teams' rows of Table 1 as HTML; none where results could not be made."""
    from pipeline.reports.batch.row import as_html, read_rows
    from pipeline.reports.reference_study import is_reference

    if not all((selection.results / f"{name}.csv").is_file() for name in ("table1", "intervals")):
        return ""
    tables, results, teams, conditions, _, english = selection
    return as_html(read_rows(tables, results, teams, conditions, english, is_reference(tables)))


def require_tables(tables: Path, option: str, english: str) -> None:
    """Raise BadParameter where a table is missing, not whole or of another form, or they do not say by which reading of
    English they are, and `english` does not either, or says another."""
    from pipeline.privacy.recorded import recorded_reading
    from pipeline.tables.io import check_tables

    try:
        check_tables(tables)
        known = recorded_reading(tables)
    except ValueError as problem:
        raise refused(str(problem), option) from None
    if known and ENGLISH_VERSIONS.get(known[1]) != known[2]:
        other = f"{tables} are by version {known[2]} of the reading {known[1]}, which is not this program's"
        raise refused(f"{other}; derive the traces again.", option)
    recorded = known[1] if known else None
    if not recorded and not english:
        unknown = f"{tables}: reading unknown, so that no row of the paper can stand beside its VPS"
        raise refused(f"{unknown}; name the reading of English by --english, or derive the traces again.", option)
    if english and recorded not in (None, english):
        raise refused(f"{tables} records the reading {recorded}, not {english}.", "--english")


def check_english_option(english: str, traces: Sequence[Path]) -> None:
    """Raise BadParameter for a reading that there is not, or one of traces."""
    if english and english not in ENGLISH_VERSIONS:
        raise refused(f"no reading {english}; there are {', '.join(ENGLISH_VERSIONS)}.", "--english")
    if english and traces:
        problem = "it says how English was read for tables, and these are traces"
        raise refused(f"{problem}, which are read by params.yaml, or by what `derive --english` names.", "--english")


def _check_selection(selection: "Selection") -> None:
    """Raise BadParameter where there are no tables or results of them, and for an unknown team or condition."""
    import polars as pl

    from pipeline.tables.paths import no_tables
    from pipeline.tables.queries import other_results

    tables, results, teams, conditions, _, english = selection
    if absent := no_tables(tables):
        raise refused(f"{absent}, or name traces.", "--tables")
    if not results.is_dir() or not any(results.glob("*.csv")):
        raise refused(f"no results in {results}; run `make repro`, or name traces.", "--results")
    require_tables(tables, "--tables", english)
    if problem := other_results(tables, results):
        raise refused(f"{problem}; name the results of these, or their traces.", "--results")
    games = pl.read_parquet(tables / "games.parquet", columns=["team", "condition"], glob=False)
    for selected, column in ((teams, "team"), (conditions, "condition")):
        _check_known(column, selected, games[column])


def _check_known(column: str, selected: Iterable[str], present: "pl.Series") -> None:
    """Raise BadParameter for a value that no game has."""
    unknown = sorted(set(selected) - set(present))
    if unknown:
        known = ", ".join(present.unique().sort())
        raise refused(f"no {column} {unknown[0]}; there are {known}.", f"--{column}")


def _check_prices(path: Path) -> None:
    """Raise BadParameter for a file without prices."""
    from pipeline.paper.costs import read_own_prices

    try:
        read_own_prices(path)
    except (OSError, ValueError) as error:
        raise refused(str(error), "--prices") from None


class Format(Enum):
    """How the command `row` prints."""

    text = "text"
    markdown = "markdown"
    latex = "latex"
    json = "json"


def row(
    traces: Annotated[list[Path], typer.Argument(help="Files or folders of traces, or a folder of tables.")],
    format: Annotated[Format, typer.Option(help="How to print it.")] = Format.text,
    english: EnglishOption = "",
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0 for one a core.")] = 0,
) -> None:
    """Print teams' rows of Table 1, both settings, beside those of the protocols and of the paper's models."""
    from pipeline.derive.parallel import derive
    from pipeline.reports.batch.own_study import made_from, study_recipe
    from pipeline.tables.paths import tables_problem
    from pipeline.traces.audit.files import print_doubts
    from pipeline.traces.sources import find_sources

    tables, rejected = traces[0], 0
    if problem := next(filter(None, map(tables_problem, traces)), ""):
        raise refused(f"{problem}.", "TRACES")
    derived_before = [place for place in traces if (place / "games.parquet").is_file()]
    if derived_before and (len(traces) > 1 or find_sources(derived_before)):
        problem = f"{derived_before[0]} holds tables, and there are traces beside them"
        raise refused(f"{problem}; name one folder of tables, or traces alone.", "TRACES")
    check_english_option(english, [] if derived_before else traces)
    with TemporaryDirectory(prefix="calbench-") as scratch:
        if not derived_before:
            tables = Path(scratch, "tables")
            with reading_traces() as show:
                print_doubts(traces, workers)
                derived = derive(traces, tables, study_recipe(), workers or None, show)
            rejected = count_rejected(derived, traces)
        else:
            require_tables(tables, "TRACES", english)
        from pipeline.reports.batch import row as rows
        from pipeline.reports.reference_study import is_reference
        from pipeline.reports.show import data_text

        with held_origins(made_from((), tables, None)):
            computed = rows.compute_rows(tables, english, is_reference(tables))
    write = {"text": rows.as_text, "markdown": rows.as_markdown, "latex": rows.as_latex, "json": rows.as_json}
    print(data_text(write[format.value](computed)))
    raise typer.Exit(SOME_LEFT_OUT if rejected else ALL_WRITTEN)
