"""All tables of a study for a notebook or a script: `from pipeline import Tables`."""

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any
from weakref import finalize

import duckdb
import polars as pl

from machine.files import PROJECT, of_project
from machine.stores import is_url
from pipeline.reports.views.beliefs import Pair, beliefs_over_time
from pipeline.reports.views.game import COLUMNS, OPTIONAL_TABLES, build_view
from pipeline.tables.fetched import fetch_tables
from pipeline.tables.queries import ALL_GAMES, attach, quoted
from pipeline.tables.schemas.base import TABLES

if TYPE_CHECKING:
    from IPython.display import HTML, SVG, Markdown
    from matplotlib.figure import Figure

# DuckDB's kinds of values that every form of output has.
PLAIN = re.compile(r"(?:BOOLEAN|U?(?:TINY|SMALL|BIG)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\)|HUGEINT|VARCHAR)(?:\[\])?")


class Tables:
    """The tables of a folder, of a URL (s3://…, gs://…, az://…, https://… and others of fsspec), or of a DuckDB file.
    Each is a file of its own, or is in folders by team and condition (`derive --partition`).

    `tables.games` or `tables["games"]` is a table as a Polars frame, with every game that was played; `tables.columns`
    says what its columns mean. What lies behind a URL is copied to a folder that lasts as long as the object. A
    relative path that is not there is sought in the project.

    Raises FileNotFoundError if there are no tables, ValueError for what is no DuckDB file or no URL that can be read,
    UserError for a DuckDB file whose tables or results have changed since, and `machine.stores.Unreachable` for a store
    that refuses.
    """

    def __init__(self, place: str | Path = "data/tables") -> None:
        self.place = str(place)
        self._base = Path() if is_url(self.place) or Path(place).exists() else PROJECT
        local = self._fetched() if is_url(self.place) else of_project(Path(self.place))
        try:
            self._connection = attach(local)
            # A name that no table has is an error, and no variable of this program.
            self._connection.execute("SET python_enable_replacements = false")
        except duckdb.Error as error:
            raise ValueError(f"{self.place} holds no tables that DuckDB can open: {first_line(error)}") from None
        listed = f"SELECT table_name FROM duckdb_tables() WHERE schema_name = '{ALL_GAMES}'"
        listed += f" UNION SELECT view_name FROM duckdb_views() WHERE schema_name = '{ALL_GAMES}' ORDER BY ALL"
        self.names: tuple[str, ...] = tuple(name for (name,) in self._connection.execute(listed).fetchall())
        self.folder = local
        self.drawn: dict[str, Figure] = {}

    def __getitem__(self, name: str) -> pl.DataFrame:
        """A table, sorted by its key, with the games that were stopped. Raises KeyError for one that is not there."""
        if name not in self.names:
            raise KeyError(f"there is no table {name}; there are {', '.join(self.names)}")
        rows = self.sql(f"FROM {ALL_GAMES}.{quoted(name)}")
        return rows.sort(TABLES[name].key, maintain_order=True) if name in TABLES else rows

    def __getattr__(self, name: str) -> pl.DataFrame:
        """A table by its name."""
        if name.startswith("_") or name not in self.names:
            raise AttributeError(f"there is no table {name}")
        return self[name]

    def __dir__(self) -> list[str]:
        """What can follow the dot, the tables' names among it."""
        return [*super().__dir__(), *self.names]

    def __iter__(self) -> Iterator[str]:
        """The tables' names."""
        return iter(self.names)

    def __repr__(self) -> str:
        return f"Tables({self.place!r}): {', '.join(self.names)}"

    def sql(self, query: str, **values: object) -> pl.DataFrame:
        """The rows of a DuckDB query, in which `$name` stands for a value that is passed by that name.

        Each table is a view under its name, without the games that were stopped; `all_games.NAME` has those too. A
        DuckDB file has also its schemas `results` and `beyond`. Raises duckdb.Error.
        """
        relation = self._connection.sql(query, params=values or None)
        answer: pl.DataFrame = pl.DataFrame() if relation is None else relation.pl()  # none for what is no query
        return answer

    def printed(self, query: str) -> pl.DataFrame:
        """The rows of a query, with texts in place of values that are neither numbers nor texts nor lists of them.
        Raises duckdb.Error."""
        relation = self._connection.sql(query)
        if relation is None:
            return pl.DataFrame()
        kinds = zip(relation.columns, map(str, relation.types), strict=True)
        columns = [
            f"#{n}{'' if PLAIN.fullmatch(kind) else '::VARCHAR'} AS {quoted(c)}" for n, (c, kind) in enumerate(kinds, 1)
        ]
        answer: pl.DataFrame = relation.project(", ".join(columns)).pl()
        return answer

    def columns(self, name: str = "") -> pl.DataFrame:
        """What a table's columns are: column, type, unit, meaning; of all tables, with `table` before, where none is
        named."""
        declared = [TABLES[known] for known in ([name] if name else self.names) if known in TABLES]
        rows = [(t.name, c.name, c.dtype, c.unit, c.meaning) for t in declared for c in t.columns]
        frame = pl.DataFrame(rows, schema=["table", "column", "type", "unit", "meaning"], orient="row")
        return frame.drop("table") if name else frame

    def rows(self) -> pl.DataFrame:
        """What one row of each table is, and how many there are: table, rows, row, key."""
        counts = [self.sql(f"SELECT count(*) FROM {ALL_GAMES}.{quoted(name)}").item() for name in self.names]
        keys = [(TABLES[name].row, ", ".join(TABLES[name].key)) if name in TABLES else ("", "") for name in self.names]
        table = [(name, count, *words) for name, count, words in zip(self.names, counts, keys, strict=True)]
        return pl.DataFrame(table, schema=["table", "rows", "row", "key"], orient="row")

    def game(self, game_id: str) -> "Game":
        """The view of a game (views/game.py), by its id or the beginning of it that no other has.

        Raises KeyError for no game, several, or a table of views that is not there, and duckdb.Error for a damaged one.
        """
        if lacking := {"games", *COLUMNS} - {*OPTIONAL_TABLES, *self.names}:
            raise KeyError(f"{self.place} lacks {', '.join(sorted(lacking))}: derive its tables again")
        like = "SELECT game_id FROM all_games.games WHERE starts_with(game_id, $game) ORDER BY game_id = $game DESC"
        matches = self.sql(f"{like}, game_id LIMIT 2", game=game_id)["game_id"].to_list()
        if not game_id or not matches:
            raise KeyError(f"no game {game_id} in {self.place}")
        if len(matches) > 1 and matches[0] != game_id:
            raise KeyError(f"several games of {self.place} begin with {game_id}: {', '.join(matches)}")
        return Game(build_view({name: self._of_game(matches[0], name) for name in ("games", *COLUMNS)}))

    def _of_game(self, game_id: str, name: str) -> list[dict[str, Any]]:
        """The game's rows of a table, in the order of its key."""
        if name in OPTIONAL_TABLES and name not in self.names:
            return []
        columns = ", ".join(map(quoted, COLUMNS[name])) if name in COLUMNS else "*"
        order = ", ".join(map(quoted, TABLES[name].key))
        return self.sql(
            f"SELECT {columns} FROM {ALL_GAMES}.{name} WHERE game_id = $game ORDER BY {order}", game=game_id
        ).to_dicts()

    def for_notebook(self) -> None:
        """In a notebook, show frames whole from here on, and say where these are not the study's own games."""
        from pipeline.reports.notebook_session import in_a_notebook, show_not_reference, show_whole_tables
        from pipeline.reports.reference_study import is_reference

        if in_a_notebook():
            show_whole_tables()
            if not (self.folder.is_dir() and is_reference(self.folder)):
                show_not_reference()

    def figure(self, figure: "Figure | None", file: str | Path) -> "SVG | Markdown":
        """Save a figure as an SVG file, the same bytes in every run, and return it for display, in a notebook with its
        caption below. Where the tables are the project's, a relative path is one in the project."""
        from pipeline.reports.notebook_session import show_figure

        if figure is not None:
            self.drawn[Path(file).stem] = figure
        return show_figure(figure, self._base / file)

    def _fetched(self) -> Path:
        """What lies behind the URL, in a folder that lasts as long as this object."""
        folder = Path(mkdtemp(prefix="calbench-"))
        finalize(self, rmtree, folder, ignore_errors=True)
        return fetch_tables(self.place, folder)


class Game(dict[str, Any]):
    """The view of a game, a nested record (`game`, `prior`, `agents`, `labels`, `rounds`), and its drawings."""

    @property
    def busiest(self) -> int:
        """The round with most direct messages, the first of several."""
        return max(range(len(self["rounds"])), key=lambda number: self["rounds"][number]["dms"])

    def overview(self) -> "HTML":
        """Who played which task, and a row a round."""
        from pipeline.reports.views import html

        return html.overview(self)

    def calendars(self, number: int) -> "HTML":
        """The calendars of a round."""
        from pipeline.reports.views import html

        return html.calendars(self, number)

    def conversation(self, number: int) -> "HTML":
        """The messages of a round."""
        from pipeline.reports.views import html

        return html.conversation(self, number)

    def beliefs(self, number: int) -> dict[Pair, list[list[float]]]:
        """(observer, target) → beliefs of a round: a row at first and one after each message, an entry a slot."""
        return beliefs_over_time(self["rounds"][number]["messages"], self["game"]["num_slots"], self["prior"])

    def draw_beliefs(self, number: int) -> "Figure | None":
        """The beliefs of a round as a figure; None where no message moved one."""
        from pipeline.reports.plots.heat import draw_beliefs

        beliefs = self.beliefs(number)
        return draw_beliefs(beliefs, self["prior"]) if beliefs else None


def first_line(error: Exception) -> str:
    """An error's first line."""
    return str(error).partition("\n")[0]
