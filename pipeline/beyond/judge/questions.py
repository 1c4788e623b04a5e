"""Which messages the judge reads, and what it is asked about each: every different question once."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from pipeline.privacy.language.messages import TYPED
from pipeline.statistics.resampling import stream
from pipeline.tables.io import read_table


class Question(NamedTuple):
    """A message to read: who sent it, how many agents and slots its game has, and its text."""

    sender: int
    agents: int
    slots: int
    message: str

    @property
    def text(self) -> str:
        """The question as JSON: whatever the message says, it stays a value in there."""
        return json.dumps(self._asdict(), ensure_ascii=False)


class Asked(NamedTuple):
    """A message of a game, and the question that it comes to."""

    game_id: str
    event_index: int
    question: Question


def read_messages(tables: Path, sample: int | None = None, seed: str = "judge sample") -> list[Asked]:
    """The English messages of a folder of tables, by game and event; so many of them, where a sample is wanted.

    A sample is drawn without replacement from the stream called `seed`; a larger one of the same name holds it.
    Raises FileNotFoundError or ValueError, saying what to do, where the tables are not there or not of this pipeline.
    """
    missing = next((name for name in ("messages", "games") if not (tables / f"{name}.parquet").is_file()), None)
    if missing:
        raise FileNotFoundError(f"no {missing}.parquet in {tables}: derive tables first (python -m pipeline derive)")
    found = english(read_table(tables, "messages"), read_table(tables, "games"))
    if sample is not None and sample < len(found):
        chosen = stream(seed).permutation(len(found))[:sample]
        return [found[i] for i in np.sort(chosen)]
    return found


def english(messages: pl.DataFrame, games: pl.DataFrame) -> list[Asked]:
    """The messages that the parser reads as English: no protocol's JSON, and no other or broken JSON."""
    known = games.select("game_id", "num_agents", "num_slots")
    rows = messages.filter(pl.col("typed").is_null()).join(known, on="game_id", how="inner")
    columns = ("game_id", "event_index", "from_agent", "num_agents", "num_slots", "content")
    return [
        Asked(game, event, Question(*question))
        for game, event, *question in rows.sort("game_id", "event_index").select(columns).iter_rows()
        if not TYPED.match(question[-1])
    ]
