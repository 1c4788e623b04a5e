"""The command line: programs of commands, progress bars, and text in which nothing controls the terminal."""

from __future__ import annotations

import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from io import TextIOWrapper
from itertools import pairwise
from typing import Annotated, Any, ClassVar, NamedTuple, TextIO

import typer
from typer.core import TyperGroup

from machine.cores import DIED, TOO_MANY_ADVICE, TOO_MANY_ERRNOS
from machine.errors import UserError

# An argument, or an option with its value, that is a URL; addresses of model servers (http) are no such URLs.
URL = re.compile(r"(?:--?[\w-]+=)?((?!https?:)[a-z0-9]+://.*)", re.DOTALL)

# Exit codes: a file can't be read or written; bad usage; Ctrl-C or SIGTERM.
FAILED, BAD_USAGE, INTERRUPTED = 1, 2, 130

# Letters that are printable and show nothing: fillers of Hangul, and the empty cell of Braille.
BLANKS = "\u115f\u1160\u2800\u3164\uffa0"

# Least seconds between two drawings of a bar.
REDRAW_SECONDS = 0.1


class Command(NamedTuple):
    """A command of a program.

    place: its function, as "module:function"; the module's EXAMPLES_NAME or EXAMPLES stand below its help. urls: its
    options that may be URLs, None where every word may be one. failed: the exit code where the work can't be done.
    """

    place: str
    urls: tuple[str, ...] | None = ()
    failed: int = FAILED


class Commands(TyperGroup):
    """A group of commands, each loaded when it is asked for."""

    table: ClassVar[Mapping[str, Command]] = {}

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """The commands' names."""
        return [*self.table, *super().list_commands(ctx)]

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        """The command of that name, or None."""
        if cmd_name not in self.table:
            return super().get_command(ctx, cmd_name)
        place, _, function = self.table[cmd_name].place.partition(":")
        module = import_module(place)
        examples = getattr(module, f"EXAMPLES_{cmd_name.upper()}", getattr(module, "EXAMPLES", None))
        alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        alone.command(cmd_name, epilog=examples)(getattr(module, function))
        return typer.main.get_command(alone)

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> tuple[str | None, Any, list[str]]:  # type: ignore[override]
        """The command's name, the command, and its arguments. Raises UserError for a misplaced URL."""
        name, command, arguments = super().resolve_command(ctx, args)
        may_be = self.table[str(name)].urls if name in self.table else ()
        for before, word in pairwise(["", *arguments]):
            url, option = URL.fullmatch(word), word.partition("=")[0] if word.startswith("-") else before
            if url and may_be is not None and option not in may_be:
                takes = f"takes a URL after {may_be[0]} alone" if may_be else "takes no URL"
                raise UserError(f"{name} {takes}; copy {url[1]} to a folder, and name that", BAD_USAGE)
        return name, command, arguments

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run the command. Where it can't do its work, or Ctrl-C or SIGTERM ends it, one line says why."""
        try:
            with terminated_as_interrupted():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            problem, code = "interrupted; what stood there still stands: run the same command again", INTERRUPTED
        except UserError as error:
            problem, code = error.message, error.exit_code
        except UnicodeEncodeError as error:
            problem, code = f"{error.object!a} is no UTF-8; name other files and folders", BAD_USAGE
        except (OSError, MemoryError) as error:
            problem, code = failure_text(error), FAILED
        say(f"error: {problem}", sys.stderr)
        name = str(ctx.invoked_subcommand)
        raise typer.Exit(self.table[name].failed if code == FAILED and name in self.table else code) from None


def show_version(asked: bool) -> None:
    """Where it is asked for, print the project's name and version, and end the command."""
    if asked:
        from importlib.metadata import version

        print(f"calbench-lab {version('calbench-lab')}")
        raise typer.Exit()


VersionOption = Annotated[
    bool, typer.Option("--version", help="Print the version.", callback=show_version, is_eager=True)
]


def program(commands: Mapping[str, Command], purpose: str, completion: bool = False) -> typer.Typer:
    """A program with these commands. purpose: what its help says first; completion: whether shells complete it."""
    group = type("Program", (Commands,), {"table": commands})
    app = typer.Typer(
        cls=group,
        no_args_is_help=True,
        add_completion=completion,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )

    @app.callback(help=purpose)
    def main(version: VersionOption = False) -> None: ...

    return app


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Let SIGTERM end the block as Ctrl-C does, with KeyboardInterrupt; workers that are forked in it inherit that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(number: int, frame: Any) -> None:
    """Do what Ctrl-C does, whose own handler knows when to wait. A shell has its background jobs ignore Ctrl-C; SIGTERM
    ends those, too."""
    if callable(signal.getsignal(signal.SIGINT)):
        signal.raise_signal(signal.SIGINT)
    else:
        raise KeyboardInterrupt


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


def say(line: str, where: TextIO | None = None) -> None:
    """Print a line, on standard output if nowhere else, with escapes in place of control characters."""
    print(escaped(line), file=where)


def escaped(text: str) -> str:
    """The text as one line, with escapes in place of control characters."""
    shown = (c.isprintable() and c not in BLANKS for c in text)
    return "".join(
        c if is_shown else c.encode("unicode_escape").decode("ascii") for c, is_shown in zip(text, shown, strict=True)
    )


def visible(text: str) -> str:
    """The text with codes, like [U+200B], in place of the characters in it that nobody sees; of spaces where it holds
    nothing else."""
    blank = not text.strip()
    hidden = (c not in "\n\t" and (not c.isprintable() or c in BLANKS or (blank and c == " ")) for c in text)
    return "".join(f"[U+{ord(c):04X}]" if is_hidden else c for c, is_hidden in zip(text, hidden, strict=True))


def counted(number: int, what: str) -> str:
    """A number with its noun: "1 game", "2 games"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
