"""A notebook to its executed copy and its figures: `python -m pipeline.reports.execute_notebook NAME`."""

import sys
from pathlib import Path

from pipeline.reports.notebook import NotebookFailed, execute

NOTEBOOKS, FIGURES = Path("notebooks"), Path("figures")


def main(name: str) -> None:
    (FIGURES / name).mkdir(parents=True, exist_ok=True)  # an output of the stage, also where there is nothing to draw
    try:
        execute(NOTEBOOKS / f"{name}.ipynb", FIGURES / f"{name}.ipynb", {"figures": str(FIGURES / name)})
    except NotebookFailed as failed:
        print(f"error: {failed}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: python -m pipeline.reports.execute_notebook NAME ({NOTEBOOKS}/NAME.ipynb)")
    main(sys.argv[1])
