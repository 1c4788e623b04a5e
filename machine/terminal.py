"""The command line: refusing misplaced URLs, progress bars, and escaping text that could control the terminal."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer
from typer.core import TyperGroup

from machine.cores import DIED, TOO_MANY_ADVICE, TOO_MANY_ERRNOS
from machine.errors import UserError

# An argument, or an option with its value, that is a URL; addresses of model servers (http) are no such URLs.
URL = re.compile(r"(?:--?[\w-]+=)?((?!https?:)[a-z0-9]+://.*)", re.DOTALL)

# A byte of a name that is no UTF-8, as Python holds it.
NO_TEXT = re.compile("[\\udc80-\\udcff]")

# The exit code of what Ctrl-C ended.
INTERRUPTED = 130
# The exit code where a file can't be read or written.
FAILED = 1

# Least seconds between two drawings of a bar.
REDRAW_SECONDS = 0.1


class Commands(TyperGroup):
    """A group of commands that refuse a URL where they expect a path."""

    # Command → options that may be URLs, the first of which is shown to the user; None: any argument may be a URL.
    may_be_urls: ClassVar[Mapping[str, tuple[str, ...] | None]] = {}

    # Command → its exit code where the work could not be done, if that is not FAILED.
    failed: ClassVar[Mapping[str, int]] = {}

    @staticmethod
    def shown(text: str) -> str:
        """A URL as it is shown to the user."""
        return escaped(text)

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> tuple[str | None, Any, list[str]]:  # type: ignore[override]
        """The command's name, the command, and its arguments. Ends with bad usage for a misplaced URL."""
        name, command, arguments = super().resolve_command(ctx, args)
        self.check_names(ctx, [*in_options(command, arguments), str(Path.cwd())])
        may_be = self.may_be_urls.get(str(name), ())
        for before, word in pairwise(["", *arguments]):
            url, option = URL.fullmatch(word), word.partition("=")[0] if word.startswith("-") else before
            if url and may_be is not None and option not in may_be:
                takes = f"takes a URL after {may_be[0]} alone" if may_be else "takes no URL"
                self.refuse(ctx, f"{name} {takes}; copy {self.shown(url[1])} to a folder, and name that")
        return name, command, arguments

    def check_names(self, ctx: typer.Context, names: Sequence[str]) -> None:
        """End with bad usage where a name is no UTF-8: libraries that write files take no other."""
        if odd := next(filter(NO_TEXT.search, names), None):
            self.refuse(ctx, f"{os.fsencode(odd)!r} is no UTF-8, so no file can be written there; name another folder")

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run the command. Where it can't do its work, or Ctrl-C ends it, one line says why."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            problem, code = "interrupted; what stood there still stands: run the same command again", INTERRUPTED
        except UserError as error:
            problem, code = error.message, error.exit_code
        except (OSError, MemoryError) as error:
            problem, code = failure_text(error), FAILED
        print(f"error: {escaped(problem)}", file=sys.stderr)
        raise typer.Exit(self.failed.get(str(ctx.invoked_subcommand), FAILED) if code == FAILED else code) from None

    def refuse(self, ctx: typer.Context, problem: str) -> None:
        """End with bad usage, saying what is wrong."""
        ctx.fail(f"{problem}.")


def in_options(command: Any, arguments: Sequence[str]) -> list[str]:
    """The words that are an option, or follow one that is no flag."""
    parameters = getattr(command, "params", ())
    flags = {name for option in parameters if getattr(option, "is_flag", False) for name in option.opts}
    follows = [before.startswith("-") and before not in flags for before in ["", *arguments]]
    return [word for word, after in zip(arguments, follows, strict=False) if after or word.startswith("-")]


def show_version(asked: bool) -> None:
    """Where it is asked for, print the project's name and version, and end the command."""
    if asked:
        from importlib.metadata import version

        print(f"calbench-lab {version('calbench-lab')}")
        raise typer.Exit()


VersionOption = Annotated[
    bool, typer.Option("--version", help="Print the version.", callback=show_version, is_eager=True)
]


@contextmanager
def progress_bar(what: str, total: int | None = None) -> Iterator[Callable[[int, int], None]]:
    """A function to call with (done, total), which draws a bar on stderr if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task, drawn = bar.add_task(what, total=total), 0.0

        def show(done: int, total: int) -> None:
            nonlocal drawn
            bar.update(task, completed=done, total=total)
            if done >= total or time.monotonic() - drawn >= REDRAW_SECONDS:
                bar.refresh()
                drawn = time.monotonic()

        bar.refresh()
        yield show


def show_any_text() -> None:
    """Let stdout and stderr show, as escapes, the characters that their encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            with suppress(OSError):
                stream.reconfigure(errors="backslashreplace")


# How the system, Polars and DuckDB say that a disk is full, a quota used up, or a file may grow no further.
NO_ROOM = re.compile(r"No space left|quota exceeded|File too large|os error (?:27|28|122)\b", re.I)


def failure_text(failure: OSError | MemoryError) -> str:
    """Why a command could not do its work, and what to do."""
    if isinstance(failure, MemoryError):
        return DIED
    if failure.errno in TOO_MANY_ERRNOS:
        return f"{failure}: {TOO_MANY_ADVICE}"
    if NO_ROOM.search(str(failure)):
        return f"{failure}: make room on the disk that it is written to, or raise the limit on the size of a file"
    return str(failure)


def run_program(program: Callable[..., object]) -> None:
    """Run a command line."""
    show_any_text()
    program()


def escaped(text: str) -> str:
    """The text as one line, with escapes in place of control characters."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def counted(number: int, what: str) -> str:
    """A number with its noun: "1 game", "2 games"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
