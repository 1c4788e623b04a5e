"""Where each table, figure and appendix of the paper is found here."""

from pathlib import Path
from typing import NamedTuple

import polars as pl

PLACES = Path("data/paper/places.csv")


class Place(NamedTuple):
    """A numbered part of the paper, what it shows, and what shows it here, as data/paper/places.csv names it.

    figure: file names joined by `;`. also: a path from the project's folder.
    """

    place: str
    shows: str
    notebook: str
    figure: str
    result: str
    also: str

    def paths(self) -> dict[str, Path]:
        """What there is to open, by what it is called in a list."""
        found = {}
        if self.notebook:
            found["notebook"] = Path("notebooks", f"{self.notebook}.ipynb")
            found["executed"] = Path("figures", f"{self.notebook}.ipynb")
        for figure in self.figure.split(";") if self.figure else ():
            found[figure] = Path("figures", self.notebook, figure)
        if self.result:
            found[self.result] = Path("data/results", self.result)
        if self.also:
            found[Path(self.also).name] = Path(self.also)
        return found


def read_places(path: Path = PLACES) -> list[Place]:
    """The numbered parts of the paper, in its order."""
    rows = pl.read_csv(path, infer_schema=False).with_columns(pl.all().fill_null(""))
    return [Place(*row) for row in rows.select(Place._fields).iter_rows()]


def markdown(places: list[Place]) -> str:
    """The places as a Markdown list with links."""
    return "\n".join(map(_item, places))


def _item(place: Place) -> str:
    links = [f"[{name}]({path.as_posix()})" for name, path in place.paths().items()]
    return f"- **{place.place}**, {place.shows}{': ' if links else ''}{', '.join(links)}"
