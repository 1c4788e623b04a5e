"""What a table is: one row's meaning, its key, and its columns; and the columns that many tables share."""

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

Row = Any  # A named tuple of the values of a table's columns, made by its `row_type`.


@dataclass(frozen=True)
class Column:
    """A column: its name, dtype (str, int, float, bool, list[int] or list[str]), meaning and unit."""

    name: str
    dtype: str
    meaning: str
    unit: str = ""


@dataclass(frozen=True)
class Table:
    """A table: what one row is, the columns whose values no two rows share, and all columns in order."""

    name: str
    row: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, in order."""
        return tuple(column.name for column in self.columns)

    def row_type(self) -> Callable[..., Row]:
        """A named tuple that takes a row's values by column name, in any order, and holds them in the table's.

        Its call raises TypeError for a column that is missing or that the table does not have.
        """
        return _by_name(namedtuple(f"{self.name}_row", self.names))


def _by_name(record: type[Row]) -> Callable[..., Row]:
    # Calling the class itself takes five times as long: it packs the names into a dictionary first.
    return partial(record.__new__, record)


C = Column
GAME_ID = C("game_id", "str", "the game, a UUID")
TRACE_PATH = C("trace_path", "str", "the trace's file as it was given; in a pack, #line follows")
EVENT_INDEX = C("event_index", "int", "the event's place in the trace, from 0")
TEAM = C("team", "str", "who played")
SIMULATED = C("simulated", "bool", "whether its speakers are simulated")
CONDITION = C("condition", "str", "standard, blocked or adversarial")
ROUND = C("round", "int", "the round, from 0")
WEIGHT_MODE = C(
    "weight_mode", "str", "uniform: a slot weighs 1; cost: in the study min(32, 1 + √cost), blocked 32 (H.4)"
)
TARGET = C("target_agent", "int", "the agent that the belief is about")
OBSERVER = C("observer_agent", "int", "the agent that holds the belief")
SPAN_START = C("span_start", "int", "where the words that show it start in the message", "characters")
SPAN_END = C("span_end", "int", "where they end", "characters")
