"""Every table beyond the paper, area by area, and the part of docs/beyond/README.md that documents them."""

from functools import partial

from pipeline.beyond.cost_decomposition.schemas import LADDER_TABLES
from pipeline.beyond.frontier.schemas import FRONTIER_TABLES
from pipeline.beyond.leakage.schemas import LEAKAGE_TABLES
from pipeline.beyond.optima.schemas import OPTIMA_TABLES
from pipeline.beyond.power_analysis.schemas import ENOUGH_TABLES
from pipeline.beyond.strategy.schemas import STRATEGY_TABLES
from pipeline.beyond.worlds.schemas import WORLDS_TABLES
from pipeline.reports.documents.build import Part
from pipeline.reports.documents.reference import data_dictionary

BEYOND_TABLES = {
    name: table
    for tables in (
        FRONTIER_TABLES,
        LEAKAGE_TABLES,
        LADDER_TABLES,
        OPTIMA_TABLES,
        WORLDS_TABLES,
        STRATEGY_TABLES,
        ENOUGH_TABLES,
    )
    for name, table in tables.items()
}

PARTS = (Part("docs/beyond/README.md", "beyond", partial(data_dictionary, BEYOND_TABLES.values())),)
