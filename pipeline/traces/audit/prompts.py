"""Recorded prompts: each shows the calendar and the messages of its moment, and no label that its agent may not see.

Of prompts that a file worded, only the last is checked."""

import re
from collections.abc import Iterator
from typing import Any

from pipeline.traces.audit.calendar import LABEL
from pipeline.traces.audit.divergences import Findings
from pipeline.traces.audit.game import AgentView, ExpectedEvent, Game

SHOWS_CALENDAR = frozenset(("opening", "announcement", "voluntary", "decision"))
SHOWS_INBOX = frozenset(("opening", "turn"))
PENALTY = re.compile(r"^Penalty you have incurred in earlier rounds: (?P<paid>-?\d+)\s*$", re.MULTILINE)
MEETING_LABEL = "Private meeting label:"
# What readers take for a label in a prompt, and where it begins to quote messages, in which they look for none.
PROMPT_LABEL = re.compile(r"[ \t]*(Slot[ \t]+\d.* private_label=|Private meeting label:)")
INBOX = re.compile(r"^[ \t]*\[1\] From Agent ", re.MULTILINE)


class PromptChecker:
    """Checks the prompts of one trace."""

    def __init__(self, game: Game, findings: Findings, records: Any) -> None:
        self.game, self.findings = game, findings
        self.of_file = agents_with_file(records)
        split = {agent: labels_by_visibility(game, agent) for agent in range(len(game.calendars))}
        self.own = {agent: sorted(own) for agent, (own, _) in split.items()}
        self.foreign = {agent: sorted(foreign - own - {""}) for agent, (own, foreign) in split.items()}

    def check(self, expected: ExpectedEvent, number: int, prompt: Any) -> None:
        """Check one prompt."""
        shown = expected.shown
        assert shown is not None
        where: dict[str, Any] = {"event": number, "round": expected.round, "agent": expected.agent}
        if not isinstance(prompt, str):
            self.findings.add("prompt_lacks_calendar", "a text", prompt, **where)
            return
        flat = " ".join(prompt.split())
        for label in self.leaked_labels(expected.agent, shown, flat):
            self.findings.add("prompt_leaks_label", "", label, shown.kind, **where)
        if expected.agent not in self.of_file:
            self.check_contents(shown, prompt, flat, where)

    def check_contents(self, shown: AgentView, prompt: str, flat: str, where: dict[str, Any]) -> None:
        """Check that a prompt in words that we know shows its moment. flat: the prompt, white space made one."""
        if shown.kind in SHOWS_CALENDAR and not contains_calendar(prompt, shown):
            self.findings.add("prompt_lacks_calendar", shown.unlabelled, prompt, shown.kind, **where)
        penalty = PENALTY.search(prompt) if shown.kind == "opening" else None
        if penalty and int(penalty["paid"][:18]) != shown.paid:
            self.findings.add("prompt_penalty", shown.paid, penalty["paid"], **where)
        if shown.kind in SHOWS_INBOX:
            for message in inbox_texts(shown):
                if message not in flat:
                    self.findings.add("prompt_lacks_inbox", message, prompt, shown.kind, **where)
        if shown.kind == "retry" and shown.conflict and " ".join(shown.conflict.split()) not in flat:
            self.findings.add("prompt_lacks_conflict", shown.conflict, prompt, **where)
        for line in self.false_labels(shown, prompt):
            self.findings.add("wrong_label", "", line, "prompt_sent", **where)

    def false_labels(self, shown: AgentView, prompt: str) -> Iterator[str]:
        """Lines of a prompt of ours that show a label, and are neither its calendar's nor the meeting's own."""
        if self.game.public or "abel" not in prompt:
            return
        label = self.game.setup.labels.get(("meeting", shown.meeting.id))
        true = {*shown.rendering.split("\n"), f"{MEETING_LABEL} {label}"}
        own = INBOX.split(prompt, 1)[0]
        yield from (line for line in own.split("\n") if PROMPT_LABEL.match(line) and line.strip() not in true)

    def leaked_labels(self, agent: Any, shown: AgentView, flat: str) -> Iterator[str]:
        """Labels in the prompt that the agent may not see, beyond what its messages and its own batch say."""
        quotes = [*inbox_texts(shown), " ".join((shown.conflict or "").split()), *self.own.get(agent, ())]
        for label in self.foreign.get(agent, ()):
            if label in flat and label in remove_quotes(flat, quotes):
                yield label
        if (
            agent not in {*shown.meeting.participants, *self.of_file}
            and MEETING_LABEL in flat
            and MEETING_LABEL in remove_quotes(flat, quotes)
        ):
            yield MEETING_LABEL


def agents_with_file(records: Any) -> frozenset[int]:
    """The agents whose prompts a file worded, which nobody has here. records: the configuration's `prompts`."""
    listed = records if isinstance(records, list) else []
    return frozenset(a for a, record in enumerate(listed) if isinstance(record, dict) and "file_sha256" in record)


def labels_by_visibility(game: Game, agent: int) -> tuple[set[str], set[str]]:
    """The labels that the agent may see - of its errands, and of meetings that it takes part in - and all others."""
    names = {item.name for item in game.setup.calendars[agent] if item}
    names |= {("meeting", m.id) for m in game.setup.meetings if agent in m.participants}
    flat = {name: " ".join(label.split()) for name, label in game.setup.labels.items()}
    return {v for n, v in flat.items() if n in names}, {v for n, v in flat.items() if n not in names}


def inbox_texts(shown: AgentView) -> list[str]:
    """The drained messages' contents, white space made one."""
    return [flat for m in shown.inbox if (flat := " ".join(m["content"].split()))]


def remove_quotes(text: str, quotes: list[str]) -> str:
    """The text without what it quotes."""
    for quote in sorted(quotes, key=len, reverse=True):
        if quote:
            text = text.replace(quote, "")
    return text


def contains_calendar(prompt: str, shown: AgentView) -> bool:
    """Whether the prompt contains the calendar, with or without labels."""
    return shown.rendering in prompt or shown.unlabelled in LABEL.sub("", prompt)
