"""The figures that must be reproduced, and those of them that a ledger has lost."""

from pathlib import Path

import polars as pl

from pipeline.paper.ledger.build import KEY, NOT_PLAYED, REPRODUCED, SETTING

PROMISED = Path("data/paper/reproduced.csv")


def read_promised(path: Path = PROMISED) -> pl.DataFrame:
    """The figures that must be reproduced: one row each, by its key."""
    return pl.read_csv(path, infer_schema=False)


def reproduced(ledger: pl.DataFrame) -> pl.DataFrame:
    """The figures that a ledger reproduces, the set-up among them: one row each, by its key."""
    return ledger.filter(pl.col("verdict").is_in([REPRODUCED, SETTING])).select(KEY)


def lost(ledger: pl.DataFrame, promised: pl.DataFrame, anybody: bool = False) -> pl.DataFrame:
    """The promised figures that the ledger does not reproduce, with what it says of them (nothing where it has no row).

    anybody: whether it is of tables whose owner need not have played the protocols.
    """
    missing = promised.select(KEY).join(reproduced(ledger), on=KEY, how="anti").join(ledger, on=KEY, how="left")
    return missing.filter(pl.col("verdict").ne_missing(NOT_PLAYED)) if anybody else missing
