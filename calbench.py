"""The program `calbench`: every command of `python -m sim` and `python -m pipeline`."""

from functools import partial

from machine.terminal import program, run_program
from pipeline.__main__ import COMMANDS as PIPELINE
from sim.__main__ import COMMANDS as SIM

PURPOSE = "Make tasks, let teams play them, and measure what their talk gave away."
app = program({**SIM, **PIPELINE}, PURPOSE, completion=True)


def run() -> None:
    """The command line."""
    run_program(partial(app, prog_name="calbench"))


if __name__ == "__main__":
    run()
