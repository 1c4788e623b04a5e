"""Execute a notebook beyond the paper, and keep the copy and its figures: `python -m pipeline.beyond.execute NAME`."""

import sys

from pipeline.reports.execute_notebook import main

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m pipeline.beyond.execute NAME (notebooks/beyond/NAME.ipynb)")
    main(f"beyond/{sys.argv[1]}")
