"""Every table beyond the paper, area by area."""

from pipeline.beyond.power_analysis.tables import ENOUGH_TABLES
from pipeline.beyond.frontier.tables import FRONTIER_TABLES
from pipeline.beyond.cost_decomposition.tables import LADDER_TABLES
from pipeline.beyond.leakage.tables import LEAKAGE_TABLES
from pipeline.beyond.optima.tables import OPTIMA_TABLES
from pipeline.beyond.strategy.tables import STRATEGY_TABLES
from pipeline.beyond.worlds.tables import WORLDS_TABLES

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
