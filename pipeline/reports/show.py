"""The commands `show` and `sql`: a game drawn in the terminal, and the rows of a query."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

import typer

from machine.files import held
from machine.terminal import escaped
from pipeline.reports.views.sentences import headline
from pipeline.tables.paths import TABLES
from pipeline.traces.limits import printable

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

    from pipeline.reports.library import Game, Tables

EXAMPLES_SHOW = """
Examples:

  calbench show 046957e5

  calbench show 046957e5 tables --round 2

  calbench show 046957e5 | less -R
"""

EXAMPLES_SQL = """
Examples:

  calbench sql "SELECT team, avg(excess_cost) AS excess FROM games GROUP BY team ORDER BY excess"

  calbench sql "FROM rounds WHERE NOT coordinated" tables --csv > failed.csv

  calbench sql "FROM results.table1" data/calbench.duckdb

  calbench sql "SHOW TABLES"
"""

BARS = "▁▂▃▄▅▆▇█"  # a belief, from 0 to 1
RAISED, LOWERED, LEAKED = "magenta", "yellow", "bold red"
ITEM_STYLES = {"free": "dim", "errand": "", "meeting": "bold cyan", "blocked": "reverse dim"}
LEGEND = "A belief is a bar a slot, low for impossible and high for possible; dim ones stand where they began."
THOUSAND = 1000
WIDEST = 100_000  # columns of a terminal

Source = Annotated[str, typer.Argument(metavar="TABLES", help="A folder of tables, its URL, or a DuckDB file.")]


def show(
    game: Annotated[str, typer.Argument(help="The game's id, or the beginning of it.")],
    tables: Source = TABLES.as_posix(),
    number: Annotated[
        int | None, typer.Option("--round", min=0, help="Only this round, from 0.", show_default="all")
    ] = None,
) -> None:
    """Draw a game: each round's messages one by one, what they made others believe, and the calendars after it."""
    import duckdb
    from rich.console import Console

    try:
        with opened(tables) as library:
            view = library.game(game)
    except KeyError as error:
        raise typer.BadParameter(f"{printable(str(error.args[0]))}.", param_hint="GAME") from None
    except duckdb.Error as error:
        raise typer.BadParameter(printable(" ".join(str(error).split())), param_hint="TABLES") from None
    if number is not None and number >= len(view["rounds"]):
        raise typer.BadParameter(f"the game has rounds 0 to {len(view['rounds']) - 1}.", param_hint="--round")
    console = Console(highlight=False, soft_wrap=False)
    console.print(heading(view))
    for wanted in range(len(view["rounds"])) if number is None else [number]:
        for part in drawn_round(view, wanted):
            console.print(part)


def sql(
    query: Annotated[str, typer.Argument(help="A query in DuckDB's SQL over the tables by name.")],
    tables: Source = TABLES.as_posix(),
    rows: Annotated[int, typer.Option(min=1, help="The most rows that a table for people has.")] = 60,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print all rows as CSV.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print all rows as JSON.")] = False,
) -> None:
    """Print the rows of QUERY. Games that were stopped are in all_games.NAME alone."""
    import duckdb
    from rich.console import Console

    if as_csv and as_json:
        raise typer.BadParameter("prints other than --csv; take one of them.", param_hint="--json")
    try:
        with opened(tables) as library:
            answer = library.printed(query)
    except duckdb.Error as error:
        raise typer.BadParameter(printable(" ".join(str(error).split())), param_hint="QUERY") from None
    if as_json:
        print(data_text(answer.with_columns(map(as_numbers, answer)).write_json()))
    elif as_csv:
        from pipeline.tables.io import to_csv_frame

        print(data_text(to_csv_frame(answer).write_csv()), end="")
    else:
        print_rows(answer.head(rows), Console(highlight=False))
        if answer.height > rows:
            print(f"and {answer.height - rows} more rows; --rows, --csv or --json print them", file=sys.stderr)


def as_numbers(column: "pl.Series") -> "pl.Series":
    """A column with its decimals, or lists of them, which JSON would have as text, as numbers: whole ones whole, where
    all of them have 64 bits at most."""
    import polars as pl

    kind = column.dtype
    decimal = kind.inner if isinstance(kind, pl.List) else kind
    if not isinstance(decimal, pl.Decimal):
        return column
    for number in (pl.Float64,) if decimal.scale else (pl.Int64, pl.Float64):
        with suppress(pl.exceptions.InvalidOperationError):
            return column.cast(pl.List(number) if isinstance(kind, pl.List) else number)
    return column


@contextmanager
def opened(tables: str) -> Iterator["Tables"]:
    """The tables of that place. Bad usage where there are none; OSError where a folder's were replaced meanwhile."""
    from pipeline.reports.library import Tables

    try:
        library = Tables(tables)
    except (FileNotFoundError, ValueError) as error:
        raise typer.BadParameter(f"{printable(str(error))}.", param_hint="TABLES") from None
    with held(library.folder.rglob("*.parquet")):
        yield library


def data_text(text: str) -> str:
    """The text as it is, or, to a terminal, with escapes in place of what would control it."""
    return "\n".join(map(escaped, text.split("\n"))) if sys.stdout.isatty() else text


def print_rows(frame: "pl.DataFrame", console: "Console") -> None:
    """Print a frame as a table, or, where that is wider than the terminal, each row as a list of its values."""
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    table = as_rich_table(frame)
    wanted = Measurement.get(console, console.options.update(max_width=WIDEST), table).maximum
    if frame.width < 2 or wanted <= console.width:
        console.print(table)
        return
    for number, row in enumerate(frame.iter_rows(), 1):
        record = Table(title=f"row {number}", show_header=False, box=None, title_justify="left")
        for name, value in zip(frame.columns, row, strict=True):
            record.add_row(Text(escaped(name), "dim"), Text(cell_text(value)))
        console.print(record, "")


def as_rich_table(frame: "pl.DataFrame") -> "Table":
    """The frame as a table: numbers to the right, what is missing a dash, nothing that controls the terminal."""
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for name, kind in frame.schema.items():
        table.add_column(Text(escaped(name)), justify="right" if kind.is_numeric() else "left")
    for row in frame.iter_rows():
        table.add_row(*(Text(cell_text(value)) for value in row))
    return table


def cell_text(value: object) -> str:
    """A value as a table shows it: floats to six digits."""
    if value is None or (isinstance(value, float) and not isfinite(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else escaped(str(value))


def heading(view: "Game") -> "Text":
    """Who played what, and what came of it."""
    from rich.text import Text

    played, came = headline(view["game"])
    game_id = escaped(view["game"]["game_id"])
    return Text.assemble((escaped(played), "bold"), f"\n{came}\n", (f"{game_id}\n{LEGEND}", "dim"))


def drawn_round(view: "Game", number: int) -> "Iterator[RenderableType]":
    """A round's parts in order: its title, each message with the beliefs that it moved, the calendars, its costs."""
    from rich.rule import Rule
    from rich.text import Text

    played = view["rounds"][number]
    who = ", ".join(map(str, played["participants"]))
    yield Rule(Text(f"round {number}: meeting M{played['meeting_id']} of agents {who}", "bold"))
    beliefs = view.beliefs(number)
    for place, message in enumerate(played["messages"], 1):
        yield message_text(message)
        for pair in sorted({(u["observer_agent"], u["target_agent"]) for u in message["updates"]} & beliefs.keys()):
            yield belief_text(pair, beliefs[pair][place], view["prior"])
    yield calendar_table(played, view["game"]["num_slots"])
    yield Text(f"{played['outcome']}; cost {played['cost']}, {played['cost_so_far']} so far\n")


def message_text(message: Mapping[str, Any]) -> "Text":
    """Who says what to whom; typed messages in words, private labels in red."""
    from rich.text import Text

    wording = message["in_words"] or message["content"]
    text = Text(wording)
    for leak in message["leaks"] if wording == message["content"] else ():
        if leak["span_start"] is not None:
            text.stylize(LEAKED, leak["span_start"], leak["span_end"])
    to = ", ".join(map(str, message["to_agents"]))
    shown = Text.assemble((f"{message['from_agent']} → {to}: ", "bold"), *(_shown(piece) for piece in text.split("\n")))
    patterns = sorted({pattern["pattern"].replace("_", " ") for pattern in message["patterns"]})
    return shown.append(f"  [{', '.join(patterns)}]" if patterns else "", "dim")


def _shown(line: "Text") -> "Text":
    """A line of a message, with escapes in place of characters that control the terminal, its styles kept."""
    if line.plain.isprintable():
        return line.append(" ")
    from rich.text import Text

    return Text(escaped(line.plain) + " ", "" if not line.spans else LEAKED)


def belief_text(pair: tuple[int, int], beliefs: list[float], prior: float) -> "Text":
    """What an observer holds of a target's slots: a bar a slot."""
    from rich.text import Text

    text = Text(f"    {pair[0]} of {pair[1]}  ", "dim")
    for belief in beliefs:
        style = "dim" if belief == prior else RAISED if belief > prior else LOWERED
        text.append(BARS[min(int(belief * len(BARS)), len(BARS) - 1)], style)
    return text


def calendar_table(played: Mapping[str, Any], slots: int) -> "Table":
    """The calendars after the round, a row an agent; what left a slot is struck through above what is there now."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("agent", style="bold")
    for slot in range(slots):
        mark = "◎" if slot == played["oracle_slot"] else ""
        table.add_column(f"{slot}{mark}", justify="right", header_style="reverse" if slot == played["slot"] else "dim")
    for agent, (before, after) in enumerate(zip(played["before"], played["after"], strict=True)):
        cells = [changed(old, new) for old, new in zip(before, after, strict=True)]
        table.add_row(str(agent), *cells, style="" if agent in played["participants"] else "dim")
    return table


def changed(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> "Text":
    """A slot's item; where it changed, the old one struck through and the new one underlined."""
    from rich.text import Text

    now = item_text(after)
    if before == after:
        return now
    now.stylize("underline green")
    return Text("\n").join([Text(item_text(before).plain, "strike"), now]) if before else now


def item_text(item: Mapping[str, Any] | None) -> "Text":
    """An errand's cost, thousands as 1k; a meeting's number; a dot for a free slot."""
    from rich.text import Text

    if item is None:
        return Text("·", ITEM_STYLES["free"])
    if item["kind"] == "meeting":
        return Text(f"M{item['id']}", ITEM_STYLES["meeting"])
    cost = item["cost"]
    short = f"{cost // THOUSAND}k" if cost and cost % THOUSAND == 0 else str(cost)
    return Text(short, ITEM_STYLES["blocked" if item["blocked"] else "errand"])
