"""A game, and tables, as HTML for a notebook: no script, nothing from elsewhere, and what agents wrote as text."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2s
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

if TYPE_CHECKING:
    from great_tables import GT
    from IPython.display import HTML

SOURCES = {
    "language_occupied": "says that it holds something there",
    "language_negative": "says that it can't",
    "language_positive": "says that it can",
    "language_cost": "says what moving would cost",
    "language_proposal": "proposes it",
}
SLOT = {
    "free": "color: #999;",
    "errand": "",
    "meeting": "font-weight: 700; background: #dce9f2; color: #123;",
    "blocked": "background: #444; color: #fff;",
    "arrives": "outline: 2px solid #b8500c; outline-offset: -2px;",
    "agreed": "border-left: 3px solid #0b4f6c; border-right: 3px solid #0b4f6c;",
    "outsider": "opacity: .55;",
}
MARKS = """
td.gt_row:first-child { white-space: nowrap; } bdi { white-space: pre-wrap; } mark { background: none; color: inherit; }
mark.evidence { border-bottom: 2px solid #0b4f6c; } mark.pattern { border-top: 1px dotted #b8500c; }
mark.leak { background: #f6d5d0; color: #600; font-weight: 600; }
"""
FONT = "13px"


class Mark(NamedTuple):
    """Characters of a message to point out: a CSS class, and what a reader is told of them."""

    start: int
    end: int
    kind: str
    note: str


def table(frame: pl.DataFrame, decimals: int = 3) -> "HTML":
    """A frame as a table: words as they are, numbers to a number of decimals, nothing where a value is missing."""
    return _html(_table(frame, decimals))


def overview(view: Mapping[str, Any]) -> "HTML":
    """Who played what, and one row per round: meeting, participants, slot agreed and the oracle's, cost, DMs."""
    from great_tables import html

    game = view["game"]
    simulated = " (simulated speakers: no model)" if game["simulated"] else ""
    optimum = "" if game["optimal_cost"] is None else f" (optimum {game['optimal_cost']})"
    played = f"{game['team']}{simulated} on {game['task_id']}, {game['condition']}"
    outcome = f"{game['meetings_scheduled']} of {game['meetings']} meetings, cost {game['realized_cost']}{optimum}"
    rows = [
        {
            "round": r["round"], "meeting": f"M{r['meeting_id']}", "participants": _listed(r["participants"]),
            "slot": _slot(r["slot"]), "oracle's slot": _slot(r["oracle_slot"]), "cost": r["cost"],
            "cost so far": r["cost_so_far"], "DMs": r["dms"], "VPS a pair": _mean(p["vps_loss"] for p in r["vps"]),
        }
        for r in view["rounds"]
    ]  # fmt: skip
    shown = _table(pl.DataFrame(rows, infer_schema_length=None)).cols_align("right")
    return _html(shown.tab_header(html(plain(played)), f"{outcome}, {game['dms']} DMs"))


def calendars(view: Mapping[str, Any], number: int) -> "HTML":
    """The calendars of a round, one row per agent: what leaves a slot is struck, what arrives is framed."""
    from great_tables import loc, style

    told, slots = view["rounds"][number], range(view["game"]["num_slots"])
    changes = [
        list(zip(before, after, strict=True)) for before, after in zip(told["before"], told["after"], strict=True)
    ]
    rows = [
        {"agent": f"agent {agent}"} | {str(s): _change(*row[s]) for s in slots} for agent, row in enumerate(changes)
    ]
    shown = _table(pl.DataFrame(rows), markup=[str(s) for s in slots], rowname_col="agent").cols_align("center")
    where: dict[str, list[Any]] = {}
    for slot in slots:
        for agent, row in enumerate(changes):
            for look in _looks(*row[slot], slot == told["slot"], agent not in told["participants"]):
                where.setdefault(look, []).append(loc.body(columns=[str(slot)], rows=[agent]))
    for look, places in where.items():
        shown = shown.tab_style(style.css(SLOT[look]), places)
    if told["oracle_slot"] in slots:
        shown = shown.cols_label({str(told["oracle_slot"]): f"{told['oracle_slot']} ◎"})
    note = "Errands show their cost. ◎ the oracle's slot; blue bars: the slot agreed; grey: not in this meeting."
    return _html(shown.tab_source_note(note))


def conversation(view: Mapping[str, Any], number: int) -> "HTML":
    """The round's messages, sweep by sweep, with evidence underlined, leaks shaded and patterns named."""
    from IPython.display import HTML

    rows = [
        {
            "sweep": f"sweep {message['turn']}",
            "who": f"agent {message['from_agent']} → {_listed(message['to_agents'])}",
            "message": f"<bdi>{_text(message)}</bdi>",
            "patterns": ", ".join(words(p["pattern"]) for p in message["patterns"]),
        }
        for message in view["rounds"][number]["messages"]
    ]
    if not rows:
        return HTML("<p>Nobody wrote anything.</p>")  # type: ignore[no-untyped-call]
    return _html(_table(pl.DataFrame(rows), markup=["message"], groupname_col="sweep").opt_css(MARKS))


def _table(frame: pl.DataFrame, decimals: int = 3, markup: Sequence[str] = (), **parts: Any) -> "GT":
    """The frame as great-tables has it: columns that hold markup as they are, other words escaped.

    The id follows from the content, so that the same table has the same bytes.
    """
    from great_tables import GT

    text = [name for name, kind in frame.schema.items() if kind == pl.String and name not in markup]
    shown = GT(frame, id="t" + blake2s(frame.write_csv().encode(), digest_size=6).hexdigest(), **parts)
    shown = shown.cols_label_with(fn=words).fmt(_escaped, columns=text).fmt(str, columns=list(markup))
    floats = [name for name, kind in frame.schema.items() if kind.is_float()]
    shown = shown.fmt_number(floats, decimals=decimals, drop_trailing_zeros=True, use_seps=False)
    return shown.sub_missing(missing_text="").tab_options(table_font_size=FONT, heading_title_font_size=FONT)


def _html(shown: "GT") -> "HTML":
    from IPython.display import HTML

    return HTML(shown.as_raw_html())  # type: ignore[no-untyped-call]


def _escaped(text: str | None) -> str:
    return "" if text is None else plain(text)


def _change(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> str:
    """What a slot held, struck when it moved, and what stands there afterwards when that is something else."""
    if before == after:
        return _item(after)
    return (f"<s>{_item(before)}</s> " if before else "") + (_item(after) if after else "")


def _looks(
    before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, agreed: bool, outsider: bool
) -> list[str]:
    held = after or before
    kind = "free" if held is None else "blocked" if held["blocked"] else held["kind"]
    others = {"arrives": before != after and after is not None, "agreed": agreed, "outsider": outsider}
    return [kind, *(look for look, so in others.items() if so)]


def _item(item: Mapping[str, Any] | None) -> str:
    if item is None:
        return "·"
    return f"M{item['id']}" if item["kind"] == "meeting" else str(item["cost"])


def _text(message: Mapping[str, Any]) -> str:
    return plain(message["in_words"]) if message["in_words"] else marked(message["content"], marks(message))


def marks(message: Mapping[str, Any]) -> list[Mark]:
    """The marks of a message of a view: evidence of English, leaked labels, patterns that have a place."""
    found = [("evidence", update, _update(update)) for update in message["updates"]]
    for leak in message["leaks"]:
        found.append(("leak", leak, f"leaks a {leak['tier'] or 'private'} label: {leak['label']}"))
    found += [("pattern", pattern, words(pattern["pattern"])) for pattern in message["patterns"]]
    placed = [(kind, row, note) for kind, row, note in found if row["span_start"] is not None]
    return [Mark(row["span_start"], row["span_end"], kind, note) for kind, row, note in placed]


def _update(update: Mapping[str, Any]) -> str:
    """What an update says of whom: "agent 2, slot 4: says that it can; belief of agent 0 0.50 → 0.95"."""
    source = SOURCES.get(update["source"], words(update["source"]))
    before, after = update["belief_before"], update["belief_after"]
    moved = "–" if after is None else f"{before:.2f} → {after:.2f}"
    target, slot, observer = update["target_agent"], update["slot"], update["observer_agent"]
    return f"agent {target}, slot {slot}: {source}; belief of agent {observer} {moved}"


def plain(text: str) -> str:
    """The text with its characters escaped; those that are not to be seen, or turn text around, as their code."""
    return escape("".join(c if c.isprintable() or c in "\n\t" else f"[U+{ord(c):04X}]" for c in text))


def marked(text: str, marks: Iterable[Mark]) -> str:
    """The text as HTML with marks around spans; where several overlap, a piece carries all of them."""
    kept = [mark for mark in marks if 0 <= mark.start < mark.end <= len(text)]
    places = sorted({0, len(text), *(m.start for m in kept), *(m.end for m in kept)})
    pieces = (_piece(text[a:b], [m for m in kept if m.start <= a and b <= m.end]) for a, b in pairwise(places))
    return "".join(pieces)


def _piece(text: str, marks: Sequence[Mark]) -> str:
    if not marks:
        return plain(text)
    kinds = " ".join(dict.fromkeys(mark.kind for mark in marks))
    notes = escape("; ".join(dict.fromkeys(mark.note for mark in marks)))
    return f'<mark class="{kinds}" title="{notes}">{plain(text)}</mark>'


def words(name: str) -> str:
    """A name of the tables as words."""
    return name.replace("_", " ")


def _listed(agents: Iterable[int]) -> str:
    return ", ".join(map(str, agents))


def _slot(slot: int | None) -> str:
    return "–" if slot is None else str(slot)


def _mean(values: Iterable[float]) -> str:
    listed = list(values)
    return f"{sum(listed) / len(listed):.2f}" if listed else "–"
