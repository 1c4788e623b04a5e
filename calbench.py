"""The program `calbench`: every command of `python -m sim` and `python -m pipeline`."""

from functools import cache, partial
from typing import Any

import typer

from machine.terminal import Commands, VersionOption, run_program

NOTHING_WRITTEN = 1


class AllCommands(Commands):
    """The commands of both sides under one name, each checked and refused by its own side.

    The pipeline, which takes longer to load, is left alone where the benchmark has the command.
    """

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """The commands' names: the benchmark's, then the pipeline's."""
        return list(dict.fromkeys([*benchmark().commands, *pipeline().commands]))

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        """The command of that name, its examples with this program's name, or None."""
        command = side_of(cmd_name).commands.get(cmd_name)
        if command and command.epilog:
            for call in ("python -m sim", "python -m pipeline"):
                command.epilog = command.epilog.replace(call, "calbench")
        return command

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> tuple[str | None, Any, list[str]]:  # type: ignore[override]
        """The command's name, the command, and its arguments. Ends with bad usage as its side does."""
        side = side_of(args[0])
        if self.get_command(ctx, args[0]) is None:
            return super().resolve_command(ctx, args)
        found: tuple[str | None, Any, list[str]] = side.resolve_command(ctx, args)
        return found


@cache
def benchmark() -> Any:
    """The group of commands that make tasks and play them."""
    from sim.__main__ import app

    return typer.main.get_command(app)


@cache
def pipeline() -> Any:
    """The group of commands that read traces and tables."""
    from pipeline.__main__ import app

    return typer.main.get_command(app)


def side_of(name: str) -> Any:
    """The side that has the command; the pipeline, where neither or both have it (`docs`, whose own builds both's)."""
    side = benchmark()
    return side if name in side.commands and name != "docs" else pipeline()


app = typer.Typer(cls=AllCommands, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.callback()
def main(version: VersionOption = False) -> None:
    """Make tasks, let teams play them, and measure what their talk gave away."""


def run() -> None:
    """The command line."""
    run_program(partial(app, prog_name="calbench"))


if __name__ == "__main__":
    run()
