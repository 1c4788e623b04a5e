"""Tables to an interval for every mean of every result table."""

from pathlib import Path

from pipeline.statistics.resampling import Resampling
from pipeline.statistics.table_intervals import table_intervals
from pipeline.tables.paths import RESULTS, TABLES, params
from pipeline.tables.queries import write_result


def main(tables: Path = TABLES, results: Path = RESULTS) -> None:
    intervals = table_intervals(tables, Resampling(**params("intervals")))
    print(f"{intervals.height} means in {write_result(intervals, 'intervals', results)}")


if __name__ == "__main__":
    main()
