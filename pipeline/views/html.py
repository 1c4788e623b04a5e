"""A game as HTML for a notebook: no script, nothing from elsewhere, and what agents wrote as text."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import polars as pl

from pipeline.views.marks import marks, words
from pipeline.views.text import marked, plain

STYLE = """<style>
.cb { font: 13px/1.45 system-ui, sans-serif; max-width: 72em; }
.cb table { border-collapse: collapse; margin: .4em 0; }
.cb th, .cb td { border: 1px solid #bbb; padding: 2px 5px; text-align: center; font-variant-numeric: tabular-nums; }
.cb th { font-weight: 600; background: #f1f1f1; color: #222; }
.cb .free { color: #999; } .cb .meeting { font-weight: 700; background: #dce9f2; color: #123; }
.cb .blocked { background: #444; color: #fff; } .cb .out { text-decoration: line-through; }
.cb .in { outline: 2px solid #b8500c; outline-offset: -2px; }
.cb .agreed { border-left: 3px solid #0b4f6c; border-right: 3px solid #0b4f6c; }
.cb .oracle::after { content: " \\25CE"; } .cb .aside { opacity: .55; }
.cb .message { margin: .25em 0; padding: .2em .6em; border-left: 3px solid #ccc; white-space: pre-wrap; }
.cb .who { font-weight: 600; } .cb .sweep { margin: .8em 0 .2em; color: #555; font-variant: small-caps; }
.cb mark { background: none; color: inherit; } .cb .evidence { border-bottom: 2px solid #0b4f6c; }
.cb .leak { background: #f6d5d0; color: #600; font-weight: 600; } .cb .pattern { border-top: 1px dotted #b8500c; }
.cb .tag { border: 1px solid #999; border-radius: 3px; padding: 0 .3em; font-size: 11px; margin-left: .4em; }
</style>"""


class Html(str):
    """Text that a notebook shows as HTML."""

    def _repr_html_(self) -> str:
        return str(self)


def page(*parts: str) -> Html:
    """Parts of HTML together with their style."""
    return Html(f'{STYLE}<div class="cb">{"".join(parts)}</div>')


def overview(view: Mapping[str, Any]) -> Html:
    """Who played what, and one row per round: meeting, participants, slot agreed and the oracle's, cost, DMs."""
    game = view["game"]
    simulated = " <em>(simulated speakers: no model)</em>" if game["simulated"] else ""
    head = f"<p><b>{plain(game['team'])}</b>{simulated} on {plain(game['task_id'])}, {plain(game['condition'])}: "
    cost = f"{game['meetings_scheduled']} of {game['meetings']} meetings, cost {game['realized_cost']}"
    optimum = "" if game["optimal_cost"] is None else f" (optimum {game['optimal_cost']})"
    titles = ("round", "meeting", "participants", "slot", "oracle's slot", "cost", "cost so far", "DMs", "VPS a pair")
    rows = [
        (
            r["round"], f"M{r['meeting_id']}", _listed(r["participants"]), _slot(r["slot"]), _slot(r["oracle_slot"]),
            r["cost"], r["cost_so_far"], r["dms"], _mean(pair["vps_loss"] for pair in r["vps"]),
        )
        for r in view["rounds"]
    ]  # fmt: skip
    return page(head, cost, optimum, f", {game['dms']} DMs.</p>", table(titles, rows))


def calendars(view: Mapping[str, Any], number: int) -> Html:
    """The calendars of a round, one row per agent: what leaves a slot is struck, what arrives is framed."""
    told = view["rounds"][number]
    slots = range(view["game"]["num_slots"])
    moved = {(m["agent"], m["from_slot"]) for m in told["moves"]}
    head = "".join(_head(slot, told) for slot in slots)
    rows = ""
    for agent, (before, after) in enumerate(zip(told["before"], told["after"], strict=True)):
        cells = (_cell(before[s], after[s], (agent, s) in moved, s == told["slot"]) for s in slots)
        aside = "" if agent in told["participants"] else ' class="aside"'
        rows += f"<tr{aside}><th scope='row'>agent {agent}</th>{''.join(cells)}</tr>"
    note = "Errands show their cost. ◎ the oracle's slot; blue bars: the slot agreed; grey: not in this meeting."
    return page(f"<table><tr><th></th>{head}</tr>{rows}</table><p>{note}</p>")


def conversation(view: Mapping[str, Any], number: int) -> Html:
    """The round's messages, sweep by sweep, with evidence underlined, leaks shaded and patterns named."""
    parts, sweep = [], None
    for message in view["rounds"][number]["messages"]:
        if message["turn"] != sweep:
            sweep = message["turn"]
            parts.append(f'<div class="sweep">sweep {escape(str(sweep))}</div>')
        parts.append(_message(message))
    return page(*(parts or ["<p>Nobody wrote anything.</p>"]))


def _message(message: Mapping[str, Any]) -> str:
    who = f"agent {message['from_agent']} → {_listed(message['to_agents'])}"
    tags = "".join(f'<span class="tag">{escape(words(p["pattern"]))}</span>' for p in message["patterns"])
    text = plain(message["in_words"]) if message["in_words"] else marked(message["content"], marks(message))
    return f'<div class="message"><span class="who">{who}</span>{tags}\n<bdi>{text}</bdi></div>'


def _head(slot: int, told: Mapping[str, Any]) -> str:
    kinds = [k for k, so in (("oracle", slot == told["oracle_slot"]), ("agreed", slot == told["slot"])) if so]
    return f'<th scope="col" class="{" ".join(kinds)}">{slot}</th>'


def _cell(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, moved: bool, agreed: bool) -> str:
    """A slot: what it held, struck when it moved, and what stands there afterwards when that is something else."""
    kinds = ["agreed"] if agreed else []
    text = _item(before)
    if before != after:
        kinds.append("in" if after else "")
        old = f'<span class="out">{text}</span> ' if before else ""
        text = old + (_item(after) if after else "")
    held = after or before
    kinds.append("free" if held is None else "blocked" if held["blocked"] else held["kind"])
    return f'<td class="{" ".join(k for k in kinds if k)}">{text}</td>'


def _item(item: Mapping[str, Any] | None) -> str:
    if item is None:
        return "·"
    return f"M{item['id']}" if item["kind"] == "meeting" else str(item["cost"])


def frame(rows: pl.DataFrame, decimals: int = 3) -> Html:
    """A frame as a table: words as they are, numbers to a number of decimals, nothing where a value is missing."""
    told = ([_told(value, decimals) for value in row] for row in rows.iter_rows())
    return page(table([words(name) for name in rows.columns], told))


def _told(value: object, decimals: int) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return str(value)


def table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """An HTML table of values, escaped."""
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in titles)
    body = "".join("<tr>" + "".join(f"<td>{plain(str(value))}</td>" for value in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _listed(agents: Iterable[int]) -> str:
    return ", ".join(map(str, agents))


def _slot(slot: int | None) -> str:
    return "–" if slot is None else str(slot)


def _mean(values: Iterable[float]) -> str:
    listed = list(values)
    return f"{sum(listed) / len(listed):.2f}" if listed else "–"
