"""A figure that the paper prints."""

from decimal import Decimal
from typing import NamedTuple

import polars as pl

from pipeline.paper.compare import printed

ADVERSARIAL = ("section 4, Adversarial", "Appendix C")  # where a figure's setting does not say so


class Figure(NamedTuple):
    """A row of data/paper/numbers.csv; value is as printed."""

    source: str
    setting: str
    method: str
    kind: str
    metric: str
    value: str
    decimals: str

    @property
    def place(self) -> tuple[str, str]:
        """The condition and setting in which it was measured."""
        condition, _, setting = self.setting.partition(" ")
        if condition in ("blocked", "adversarial"):
            return condition, setting or "pooled"
        return "adversarial" if self.source in ADVERSARIAL else "standard", self.setting

    def at_its_precision(self, value: float) -> str:
        """A value of ours at the precision of the figure."""
        return printed(value, int(self.decimals))

    def equals(self, value: float) -> bool:
        """Whether a value of ours rounds to what is printed."""
        return Decimal(self.at_its_precision(value)) == Decimal(self.value)


def figures(numbers: pl.DataFrame) -> list[Figure]:
    """The paper's figures, those of a source together. numbers: all columns as text."""
    found = [Figure(*row) for row in numbers.select(Figure._fields).iter_rows()]
    sources = list(dict.fromkeys(figure.source for figure in found))
    return sorted(found, key=lambda figure: sources.index(figure.source))
