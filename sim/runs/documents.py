"""The simulator's own documents, docs/styles.md and the trace's schema: `python -m sim.runs.documents [--check]`."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from machine.output import write_atomically
from sim.agents import Message, Registration
from sim.agents.english.speaker import Style
from sim.agents.parameters import PARAMETERS, StyleParameters, named_styles
from sim.game.game import Game, Limits
from sim.game.rounds import rounds
from sim.game.trace_schema import schema_text
from sim.tasks.labels import draw, load_bank
from sim.tasks.scenario import Parameters, Scenario, generate

# The toy game whose first messages show how each style talks.
SAMPLE = Parameters(
    seed=7, num_agents=5, num_participants=3, density=0.8, num_meetings=2, errand_cost_values=(1, 100, 1000)
)
MESSAGES_SHOWN = 9

STYLES, SCHEMA = Path("docs/styles.md"), Path("docs/trace.schema.json")


def page() -> str:
    """The whole page: what it says before its first section, and the sections made anew."""
    introduction = STYLES.read_text(encoding="utf-8").partition("## Parameters")[0]
    return introduction + "\n".join([*parameter_section(), *style_sections()]).rstrip() + "\n"


def parameter_section() -> Iterator[str]:
    """What each parameter means and what it is where a style doesn't set it, then each style's value."""
    defaults = msgspec.to_builtins(StyleParameters())
    yield "## Parameters\n"
    yield from table(
        ["parameter", "meaning", "default"],
        [[f"`{name}`", meaning, str(defaults[name])] for name, meaning in meanings().items()],
    )
    yield "## Styles and their parameters (SIMULATED)\n"
    styles = named_styles()
    in_force = {name: defaults | given for name, given in styles.items()}
    yield from table(
        ["parameter", *styles], [[f"`{p}`", *(f"{values[p]:g}" for values in in_force.values())] for p in defaults]
    )


def meanings() -> dict[str, str]:
    """What each parameter means, as the record's docstring has it."""
    matches = re.findall(r"^- (\w+): (.+)$", inspect.getdoc(StyleParameters) or "", re.MULTILINE)
    return dict(matches)


def table(header: list[str], rows: list[list[str]]) -> Iterator[str]:
    """A Markdown table."""
    for cells in (header, ["---"] * len(header), *rows):
        yield f"| {' | '.join(cells)} |"
    yield ""


def style_sections() -> Iterator[str]:
    """Each style, and the first messages of a toy game of five of it."""
    comments = descriptions()
    for name, given in named_styles().items():
        yield f"## {name} (SIMULATED)\n"
        yield f"{comments[name][:1].upper()}{comments[name][1:]}.\n"
        yield "```text"
        for message in islice(sample(name, given), MESSAGES_SHOWN):
            yield f"{message.sender} to {message.recipient}: {message.content}"
        yield "```\n"


def descriptions() -> dict[str, str]:
    """The comment that params.yaml gives each style."""
    text = PARAMETERS.read_text(encoding="utf-8")
    styles = text[text.index("\nstyles:") :]
    return dict(re.findall(r"^  (\w+): # (.+)$", styles, re.MULTILINE))


def sample(name: str, given: Mapping[str, Any]) -> Iterator[Message]:
    """The messages of a toy game between five agents of one style.

    Held-out phrases stay out of it: those who must not know them may read this page.
    """
    scenario = generate(SAMPLE)
    parameters = msgspec.convert({**given, "held_out": 0.0}, StyleParameters, strict=False)
    yield from talk(scenario, [Style(parameters) for _ in scenario.calendars], f"docs:{name}")


def talk(scenario: Scenario, agents: list[Style], game_name: str) -> Iterator[Message]:
    """The messages of a game, in the order in which they are read."""
    labels = draw(load_bank(), scenario.calendars, scenario.meetings, SAMPLE.seed)
    game = Game(scenario.calendars, scenario.meetings, Limits(), labels)
    for number, (agent, calendar) in enumerate(zip(agents, scenario.calendars, strict=True)):
        agent.register(Registration(number, len(agents), len(calendar), 3, ("dm",), calendar, game_name))
    turns = rounds(game)
    try:
        number, request = next(turns)
        while True:
            yield from request.inbox
            number, request = turns.send(agents[number].act(request))
    except StopIteration:
        return


DOCUMENTS: dict[Path, Callable[[], str]] = {STYLES: page, SCHEMA: schema_text}


def main(check: bool) -> None:
    """Build every document, or end with the names of those that are not as the code has them."""
    texts = {path: build() for path, build in DOCUMENTS.items()}
    late = [path for path, text in texts.items() if path.read_text(encoding="utf-8") != text]
    if check and late:
        raise SystemExit(f"error: behind the code: {', '.join(map(str, late))}; run `python -m pipeline docs`")
    for path in late:
        write_atomically(path, [texts[path].encode()])


if __name__ == "__main__":
    main(check="--check" in sys.argv)
