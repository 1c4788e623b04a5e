"""Leakage in bits: the information that messages carry about a target's calendar, and the least that they had to.

For other areas:

- `game_bits(tables) → frame`: a folder of derived tables to one row per game, with `bits` (the game's realised gain,
  cumulative over rounds, mean over all ordered pairs of agents), `feasible_bits` (of feasibility alone), `bits_touched`
  (of each round alone, mean over pairs and rounds with a statement), `bits_true` (below 0 where observers are misled),
  `coalition_bits` (all other agents together, mean over targets), `coalition_pair_bits`, `certified_rounds`,
  `necessary_bits_per_round`, `excess_bits_per_round` and more of the columns of leaked_games (schemas.py).
- `leakage(read_tables(folder), params("leakage"))` of `measure`: the frames of pairs, coalitions and rounds.
- `python -m pipeline.beyond.leakage.stage --tables DIR --name X`: all of it into data/beyond/tables/leaked_*_X.

What is measured. A target's calendar is the state of each of its slots when a round begins:
free, an errand of one of the setting's costs, or busy. Beforehand an observer holds the stated prior of each slot,
slots independent. A statement is what one message literally says of one slot: a likelihood over its states, for typed
messages by the likelihoods of pipeline/privacy/protocols, for English the one that takes 0.5 to the belief that the
claim alone comes to under the rules of VPS. So figures of costs in English count only as VPS counts them, as words on
feasibility; `*_with_figures` tell what they would come to if they were believed (observed_statements.py).
The posterior is prior × the product of the likelihoods of the distinct statements: no order, and saying the same twice
tells nothing new. Statements that can't all be true leave the states that contradict fewest. The realised gain of a
slot is Σ p·log2(p/π), in bits, summed over slots.

One round alone: its statements against the prior, as if it were the first. All rounds so far: statements are about
*spells* (histories.py), runs of rounds in which a slot keeps what it holds. Each spell is a secret of its own; an
observer is taken to know when a slot changed, but not to what. A slot that holds a meeting which stands in the same
slot of the observer's own calendar is no secret to it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


def game_bits(tables: Path, settings: Mapping[str, Any] | None = None) -> "pl.DataFrame":
    """One row per game of a folder of derived tables, sorted by game_id: leaked_games without VPS and *_with_figures.

    settings: the `leakage` block of notebooks/beyond/params.yaml, which is read where none are given.
    Raises FileNotFoundError or ValueError where a derived table is missing.
    """
    from pipeline import beyond
    from pipeline.beyond.leakage.measure import by_game, leakage, read_tables

    read = read_tables(Path(tables))
    return by_game(leakage(read, settings or beyond.params("leakage")), read["games"])
