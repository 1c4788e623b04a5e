"""Every table beyond the paper, area by area, and where they are documented."""

from functools import partial

from pipeline.beyond.cost_decomposition.tables import LADDER_TABLES
from pipeline.beyond.frontier.tables import FRONTIER_TABLES
from pipeline.beyond.leakage.tables import LEAKAGE_TABLES
from pipeline.beyond.optima.tables import OPTIMA_TABLES
from pipeline.beyond.power_analysis.tables import ENOUGH_TABLES
from pipeline.beyond.strategy.tables import STRATEGY_TABLES
from pipeline.beyond.worlds.tables import WORLDS_TABLES
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
