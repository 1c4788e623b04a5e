"""Text in CSV that a spreadsheet would run as a formula, marked so that it is shown instead.

Where a text, or what follows a semicolon, tab or line's end in it, begins with = + - or @, blanks before it or not, an
apostrophe is put before that character: spreadsheets of some countries split cells at semicolons. The same is done to
an apostrophe there, so that taking one off again gives exactly what was there. Numbers stay as they are.
"""

import polars as pl

BLANKS = r"(^|[;\t\r\n])([ \x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\xa0\x{2000}-\x{200f}\x{3000}\x{feff}]*)"
# The wide forms are taken for formulas in some languages.
RISKY = BLANKS + r"([=+\-@'\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}])"
MARKED = BLANKS + "'"
NUMBER = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$"


def marked(text: pl.Expr) -> pl.Expr:
    """The text as a spreadsheet may open it."""
    return pl.when(text.str.contains(NUMBER)).then(text).otherwise(text.str.replace_all(RISKY, "${1}${2}'${3}"))


def is_risky(texts: pl.Series) -> bool:
    """Whether `marked` would change any of the texts."""
    return texts.unique().str.contains(RISKY).any()


def unmarked(text: pl.Expr) -> pl.Expr:
    """The text that `marked` was given."""
    return text.str.replace_all(MARKED, "${1}${2}")
