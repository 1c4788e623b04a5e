"""Precision and recall of each detector on what simulated speakers meant, with intervals."""

from pathlib import Path

from pipeline.statistics.detector_accuracy import precision_and_recall
from pipeline.statistics.resampling import Resampling
from pipeline.tables.io import read_table, write_csv
from pipeline.tables.paths import RESULTS, TABLES, params


def main(tables: Path = TABLES, results: Path = RESULTS) -> None:
    accuracy = precision_and_recall(read_table(tables, "truth"), Resampling(**params("truth")))
    write_csv(accuracy, results / "known_truth.csv")
    print(f"{accuracy.height} rows in {results / 'known_truth.csv'}")


if __name__ == "__main__":
    main()
