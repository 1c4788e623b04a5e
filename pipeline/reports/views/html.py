"""A game, and tables, as HTML for a notebook: no scripts, nothing loaded, and agents' messages escaped."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2s
from html import escape
from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from machine.terminal import visible
from pipeline.reports.views.sentences import headline

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
CELL_STYLES = {
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
    """A span of a message to highlight: its CSS class, and its tooltip."""

    start: int
    end: int
    kind: str
    note: str


def table(frame: pl.DataFrame, decimals: int = 3) -> "HTML":
    """A frame as a table: text escaped, numbers rounded to `decimals`, missing values empty."""
    return render(great_table(frame, decimals))


MOST_ROWS = 60
NO_ROW = "No row: these tables hold nothing of the kind."


def plain_table(frame: pl.DataFrame) -> str:
    """A frame as HTML as notebooks show it: all columns, at most MOST_ROWS rows, no quotes, and no nulls.

    What is missing or no number is a dash. A frame without rows is a sentence that says so.
    """
    if frame.is_empty():
        return f"<p><em>{NO_ROW}</em></p>"
    head = "".join(f"<th>{escape_text(name)}</th>" for name in frame.columns)
    rows = "".join(f"<tr>{''.join(map(_plain_cell, row))}</tr>" for row in frame.head(MOST_ROWS).iter_rows())
    rest = f"<p><em>and {frame.height - MOST_ROWS:,} more rows</em></p>" if frame.height > MOST_ROWS else ""
    return f'<table class="dataframe"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}'


def _plain_cell(value: object) -> str:
    """A cell: text to the left, numbers to the right, with at most six decimals."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return "<td>–</td>"
    if isinstance(value, bool):
        return f"<td>{'yes' if value else 'no'}</td>"
    if isinstance(value, float):
        decimals = f"{value:.6f}".rstrip("0").rstrip(".")
        return f"<td>{decimals if abs(value) >= 1e-4 or value == 0 else f'{value:.2g}'}</td>"
    if isinstance(value, int):
        return f"<td>{value}</td>"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f'<td style="text-align: left">{escape_text(text)}</td>'


def overview(view: Mapping[str, Any]) -> "HTML":
    """Who played which task, and one row per round: meeting, participants, slot or failure, the oracle's, cost, DMs."""
    from great_tables import html

    played, came = headline(view["game"])
    rows = [
        {
            "round": r["round"], "meeting": f"M{r['meeting_id']}", "participants": _listed(r["participants"]),
            "slot": r["failure_reason"] or _slot(r["slot"]), "oracle's slot": _slot(r["oracle_slot"]),
            "cost": r["cost"], "cost so far": r["cost_so_far"], "DMs": r["dms"],
            "VPS a pair": _mean(p["vps_loss"] for p in r["vps"]),
        }
        for r in view["rounds"]
    ]  # fmt: skip
    shown = great_table(pl.DataFrame(rows, infer_schema_length=None)).cols_align("right")
    return render(shown.tab_header(html(escape_text(played)), came))


def calendars(view: Mapping[str, Any], number: int) -> "HTML":
    """The calendars of a round, one row per agent: items that leave a slot are struck through, new ones framed."""
    from great_tables import loc, style

    game_round, slots = view["rounds"][number], range(view["game"]["num_slots"])
    calendar_pairs = zip(game_round["before"], game_round["after"], strict=True)
    changes = [list(zip(before, after, strict=True)) for before, after in calendar_pairs]
    rows = [
        {"agent": f"agent {agent}"} | {str(slot): changed_item(*row[slot]) for slot in slots}
        for agent, row in enumerate(changes)
    ]
    shown = great_table(pl.DataFrame(rows), markup=[str(s) for s in slots], rowname_col="agent").cols_align("center")
    where: dict[str, list[Any]] = {}
    for slot in slots:
        for agent, row in enumerate(changes):
            for look in cell_styles(*row[slot], slot == game_round["slot"], agent not in game_round["participants"]):
                where.setdefault(look, []).append(loc.body(columns=[str(slot)], rows=[agent]))
    for look, places in where.items():
        shown = shown.tab_style(style.css(CELL_STYLES[look]), places)
    if game_round["oracle_slot"] in slots:
        shown = shown.cols_label({str(game_round["oracle_slot"]): f"{game_round['oracle_slot']} ◎"})
    note = "Errands show their cost. ◎ the oracle's slot; blue bars: the slot agreed; grey: not in this meeting."
    return render(shown.tab_source_note(note))


def conversation(view: Mapping[str, Any], number: int) -> "HTML":
    """The round's messages, sweep by sweep, with evidence underlined, leaks shaded and patterns named."""
    from IPython.display import HTML

    rows = [
        {
            "sweep": f"sweep {message['turn']}",
            "who": f"agent {message['from_agent']} → {_listed(message['to_agents'])}",
            "message": f"<bdi>{message_html(message)}</bdi>",
            "patterns": ", ".join(as_words(p["pattern"]) for p in message["patterns"]),
        }
        for message in view["rounds"][number]["messages"]
    ]
    if not rows:
        return HTML("<p>Nobody wrote anything.</p>")  # type: ignore[no-untyped-call]
    return render(great_table(pl.DataFrame(rows), markup=["message"], groupname_col="sweep").opt_css(MARKS))


def great_table(frame: pl.DataFrame, decimals: int = 3, markup: Sequence[str] = (), **parts: Any) -> "GT":
    """The frame as a great-tables table, its text escaped except in the columns `markup`.

    Its id is a digest of the content, so that the same table has the same bytes.
    """
    from great_tables import GT

    text = [name for name, kind in frame.schema.items() if kind == pl.String and name not in markup]
    shown = GT(frame, id="t" + blake2s(frame.write_csv().encode(), digest_size=6).hexdigest(), **parts)
    shown = (
        shown.cols_label_with(fn=lambda name: visible(as_words(name)))
        .fmt(_escaped, columns=text)
        .fmt(str, columns=list(markup))
    )
    floats = [name for name, kind in frame.schema.items() if kind.is_float()]
    shown = shown.fmt_number(floats, decimals=decimals, drop_trailing_zeros=True, use_seps=False)
    return shown.sub_missing(missing_text="").tab_options(table_font_size=FONT, heading_title_font_size=FONT)


def render(shown: "GT") -> "HTML":
    from IPython.display import HTML

    return HTML(shown.as_raw_html())  # type: ignore[no-untyped-call]


def _escaped(text: str | None) -> str:
    return "" if text is None else escape_text(text)


def changed_item(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> str:
    """A slot's item as HTML: where it changed, the old one struck through, then the new one."""
    if before == after:
        return item_text(after)
    return (f"<s>{item_text(before)}</s> " if before else "") + (item_text(after) if after else "")


def cell_styles(
    before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, agreed: bool, outsider: bool
) -> list[str]:
    held = after or before
    kind = "free" if held is None else "blocked" if held["blocked"] else held["kind"]
    others = {"arrives": before != after and after is not None, "agreed": agreed, "outsider": outsider}
    return [kind, *(look for look, so in others.items() if so)]


def item_text(item: Mapping[str, Any] | None) -> str:
    if item is None:
        return "·"
    return f"M{item['id']}" if item["kind"] == "meeting" else str(item["cost"])


def message_html(message: Mapping[str, Any]) -> str:
    in_words = message["in_words"]
    return escape_text(in_words) if in_words else mark_spans(message["content"], message_marks(message))


def message_marks(message: Mapping[str, Any]) -> list[Mark]:
    """The marks of a view's message: evidence read from English, leaked labels, and patterns that have a span."""
    spans = [("evidence", update, update_note(update)) for update in message["updates"]]
    for leak in message["leaks"]:
        spans.append(("leak", leak, f"leaks a {leak['tier'] or 'private'} label: {leak['label']}"))
    spans += [("pattern", pattern, as_words(pattern["pattern"])) for pattern in message["patterns"]]
    placed = [(kind, row, note) for kind, row, note in spans if row["span_start"] is not None]
    return [Mark(row["span_start"], row["span_end"], kind, note) for kind, row, note in placed]


def update_note(update: Mapping[str, Any]) -> str:
    """A belief update as text: "agent 2, slot 4: says that it can; belief of agent 0 0.50 → 0.95"."""
    source = SOURCES.get(update["source"], as_words(update["source"]))
    before, after = update["belief_before"], update["belief_after"]
    moved = "–" if after is None else f"{before:.2f} → {after:.2f}"
    target, slot, observer = update["target_agent"], update["slot"], update["observer_agent"]
    return f"agent {target}, slot {slot}: {source}; belief of agent {observer} {moved}"


def escape_text(text: str) -> str:
    """The text escaped for HTML, with invisible and bidirectional control characters shown as their codes."""
    return escape(visible(text))


def mark_spans(text: str, marks: Iterable[Mark]) -> str:
    """The text as HTML with its spans marked; where marks overlap, a piece carries all of them."""
    kept = [mark for mark in marks if 0 <= mark.start < mark.end <= len(text)]
    cuts = sorted({0, len(text), *(m.start for m in kept), *(m.end for m in kept)})
    pieces = (marked_piece(text[a:b], [m for m in kept if m.start <= a and b <= m.end]) for a, b in pairwise(cuts))
    return "".join(pieces)


def marked_piece(text: str, marks: Sequence[Mark]) -> str:
    if not marks:
        return escape_text(text)
    kinds = " ".join(dict.fromkeys(mark.kind for mark in marks))
    notes = escape("; ".join(dict.fromkeys(mark.note for mark in marks)))
    return f'<mark class="{kinds}" title="{notes}">{escape_text(text)}</mark>'


def as_words(name: str) -> str:
    """A column's or value's name with spaces for underscores."""
    return name.replace("_", " ")


def _listed(agents: Iterable[int]) -> str:
    return ", ".join(map(str, agents))


def _slot(slot: int | None) -> str:
    return "–" if slot is None else str(slot)


def _mean(values: Iterable[float]) -> str:
    listed = list(values)
    return f"{sum(listed) / len(listed):.2f}" if listed else "–"
