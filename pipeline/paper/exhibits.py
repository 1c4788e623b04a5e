"""Where each table, figure and appendix of the paper is found here."""

from pathlib import Path
from typing import NamedTuple

import polars as pl

EXHIBITS = Path("data/paper/exhibits.csv")


class Exhibit(NamedTuple):
    """A numbered part of the paper, what it shows, and what shows it here, as data/paper/exhibits.csv names it.

    figure: file names joined by `;`. also: a path from the project's folder.
    """

    name: str
    shows: str
    notebook: str
    figure: str
    result: str
    also: str

    def paths(self) -> dict[str, Path]:
        """What there is to open: its label in a list, and its path from the project's folder."""
        paths = {}
        if self.notebook:
            paths["notebook"] = Path("notebooks", f"{self.notebook}.ipynb")
            paths["executed"] = Path("figures", f"{self.notebook}.ipynb")
        for figure in self.figure.split(";") if self.figure else ():
            paths[figure] = Path("figures", self.notebook, figure)
        if self.result:
            paths[self.result] = Path("data/results", self.result)
        if self.also:
            paths[Path(self.also).name] = Path(self.also)
        return paths


def read_exhibits(path: Path = EXHIBITS) -> list[Exhibit]:
    """The numbered parts of the paper, in its order."""
    rows = pl.read_csv(path, infer_schema=False).with_columns(pl.all().fill_null(""))
    return [Exhibit(*row) for row in rows.select(Exhibit._fields).iter_rows()]
