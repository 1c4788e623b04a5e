"""Negotiation stance: how often agents acquiesce and how often they push back (Appendix A)."""

import polars as pl

from pipeline.behaviour.lexicons import words
from pipeline.behaviour.tokens import APOSTROPHES


def stance(messages: pl.DataFrame, agents: pl.DataFrame) -> pl.DataFrame:
    """One row per agent of a game: its English messages, and those with a phrase of either set, or of both."""
    key = ["game_id", "agent"]
    said = messages.filter(pl.col("typed").is_null()).select(
        "game_id", agent="from_agent", text=plain(pl.col("content"))
    )
    said = said.with_columns(acquiescing=says("acquiescence"), pushing_back=says("pushback"))
    counts = said.group_by(key).agg(
        english_messages=pl.len(),
        acquiescing=pl.col("acquiescing").sum(),
        pushing_back=pl.col("pushing_back").sum(),
        both=(pl.col("acquiescing") & pl.col("pushing_back")).sum(),
    )
    every = agents.select(key).join(counts, on=key, how="left")
    return every.with_columns(pl.exclude(key).fill_null(0)).sort(key)


def plain(text: pl.Expr) -> pl.Expr:
    """The text with plain apostrophes."""
    typed = [chr(letter) for letter in APOSTROPHES]
    return text.str.replace_many(typed, ["'"] * len(typed))


def says(phrases: str) -> pl.Expr:
    """Whether `text` has one of the phrases of stance.yaml, in any case (Appendix A.1)."""
    return pl.col("text").str.contains_any(words("stance")[phrases], ascii_case_insensitive=True)
