"""The simulator's own documents: docs/styles.md and the trace's schema: `python -m sim docs`."""

from __future__ import annotations

import inspect
import re
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

INTRODUCTION = """\
<!-- Made by `python -m pipeline docs`; `--check` says when it is behind. -->

# Simulated negotiators

The styles are **SIMULATED** speakers: programs that read the English they are sent, write varied English and bargain
by a few numbers in `params.yaml`. They are named after a manner of talking, and imitate no language model. They exist
to exercise the whole study (parsers, pattern detectors, VPS, leaks, mixed effects) on talk whose meaning is known.

**What they can't show.** A direction in their results that follows from a parameter is so *by construction*: that a
style which puts costs into figures has a lower excess cost and a higher VPS, that one which resists more matches more
pushback phrases, that one which may leak labels leaks more of them when asked. Such a direction supports no claim
about language models. Every trace of theirs says `"simulated": true`, and every table and figure that shows them
says so too.

**What they know.** A speaker uses its own calendar and labels, the meeting, its messages, and its own draws
(`random.Random(f"style:{game}:{agent}:{purpose}")`). The same game gives the same bytes on every machine.

**Known truth.** Each message's meaning is kept outside its text, in the `intent` of the trace's `turn_end` event, one
entry an action: `act`, `statements` (one a target, slot and kind, the kinds those of Appendix H.3), `labels`,
`behaviours` (the paper's message patterns that it shows on purpose), `phrases` (template ids) and `held_out`.
Templates live in `data/phrases/`; `open.yaml` may be read by anyone, `held_out.yaml` not by those who write parsers.
A speaker's own reader (`sim/agents/english/reader.py`) shares nothing with the pipeline's parser.

**Playing them.** `python -m sim run TASKS.jsonl --team exact --out DIR`; in a YAML team, an agent of `type: style`
with any of the parameters below, beside other types if you like. A nosy agent asks about blocked and costly slots too.
`data/results/members.csv`, or the same table of your own games, tells a mixed team's results by member.

**Group chats.** The study's games are one to one. With `--channels dm,participant_groupchat` the participants negotiate
in their group chat, where each says once what all of them then know; probing questions, answers to them, and requests
to move an earlier meeting stay direct. With `all_groupchat` open as well, a request that several must answer goes to
everybody; whoever it does not concern keeps silent. Where no direct messages are allowed, all is said in the
narrowest open chat that its reader hears. A group message counts once, and tells each recipient what it says.
The samples below are the first messages of a toy game each, written from the open bank only.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *parameter_section(), *style_sections()]).rstrip() + "\n"


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


STYLES, SCHEMA = Path("docs/styles.md"), Path("docs/trace.schema.json")
DOCUMENTS: dict[Path, Callable[[], str]] = {STYLES: page, SCHEMA: schema_text}


def behind() -> list[Path]:
    """The documents that are not as the code has them."""
    return [path for path, build in DOCUMENTS.items() if path.read_text(encoding="utf-8") != build()]


def write() -> None:
    """Build every document."""
    for path, build in DOCUMENTS.items():
        write_atomically(path, [build().encode()])
