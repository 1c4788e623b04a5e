"""Every table beyond the paper, area by area, and the part of docs/beyond/README.md that documents them."""

from functools import partial

from pipeline.beyond import frontier, ladder, optima, power, worlds
from pipeline.beyond.leakage import learned
from pipeline.beyond.leakage import tables as leakage
from pipeline.beyond.strategy import outcomes as strategy
from pipeline.reports.documents.build import Part
from pipeline.reports.documents.reference import data_dictionary

AREAS = (frontier, leakage, learned, ladder, optima, worlds, strategy, power)
BEYOND_TABLES = {name: table for area in AREAS for name, table in area.TABLES.items()}

PARTS = (Part("docs/beyond/README.md", "beyond", partial(data_dictionary, BEYOND_TABLES.values())),)
