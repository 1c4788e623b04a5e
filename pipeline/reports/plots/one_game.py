"""Figure 1: the environment, drawn from one round of one game: calendars before, the four phases, calendars after."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pipeline.reports.plots.layout import any_width, finish, is_narrow, subplots, wrapped
from pipeline.reports.plots.style import SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Round = Mapping[str, Any]
Grid = Sequence[Sequence[Mapping[str, Any] | None]]

TEXT, FAINT, MEETING, MOVED, EDGE, HATCH = "#222222", "#8a8a8a", "#0b4f6c", "#b8500c", "#c4c4c4", "#707070"
BANDS = ("cheap talk", "voluntary", "decision", "resolution")
WIDTHS = {"voluntary": 2.6, "decision": 3.6, "resolution": 2.2}  # in messages' places
NARROW_WIDTHS = {"voluntary": 3.9, "decision": 3.9, "resolution": 4.2}
MIN_TALK_WIDTH = 6.0  # places that cheap talk takes up, however short
NUMBERED_UP_TO = 40  # messages, beyond which numbers would run into each other
LEGEND = (
    "slot. Darker: dearer to move (figures: what participants would pay). White: free. Hatched: fixed. Framed: changed."
)


@any_width
def draw_round(view: Mapping[str, Any], number: int, title: str) -> "Figure":
    """Three panels: calendars before, the four phases, calendars after. view: of views.game; number: the round."""
    game_round, agents = view["rounds"][number], len(view["agents"])
    height = (0.62 if is_narrow() else 0.2) + (1.08 if is_narrow() else 0.62) * agents
    phases = 2.2 if is_narrow() else 1.5
    figure, panels = subplots(3, 1, 1.4 + height, height_ratios=(agents + 1, phases * agents, agents + 1))
    who = f"M{game_round['meeting_id']} of agents {_listed(game_round['participants'])}"
    before = f"A   Before: {who} has to be placed, and each sees its own row alone"
    _calendars(panels[0], game_round["before"], game_round, before)
    _phases(panels[1], game_round, agents, "B   The round, phase by phase")
    came = f"C   After: {game_round['outcome']}; the round cost {game_round['cost']}"
    _calendars(panels[2], game_round["after"], game_round, came)
    whose = " (simulated speakers: no model)" if view["game"]["simulated"] else ""
    finish(figure, f"{title}{whose}", (), f"Calendars by {LEGEND}")
    figure.supxlabel(wrapped(LEGEND, figure), fontsize=SMALL)
    return figure


def _calendars(axes: "Axes", grid: Grid, game_round: Round, title: str) -> None:
    """Draw calendars, a row an agent and a cell a slot: the cost of moving its item, or the meeting's name.

    Printed are participants' costs before the round, and what changed; all other costs show by their shades alone.
    """
    agents, slots = len(grid), max(map(len, grid), default=0)
    _draw_cells(axes, grid)
    for agent, calendar in enumerate(grid):
        for slot, held in enumerate(calendar):
            changed = game_round["before"][agent][slot] != game_round["after"][agent][slot]
            blocked = bool(held and held["blocked"])
            face, words, ink = _cell_style(held)
            if changed or blocked:
                _frame(axes, (slot, agent), changed, blocked)
            asked = grid is game_round["before"] and agent in game_round["participants"]
            if changed or asked or (held and held["kind"] == "meeting"):
                _cell_text(axes, (slot, agent), words, ink, face if blocked else None, slots)
        look = _name_style(game_round, agent)
        axes.text(-0.75, agent, f"agent {agent}", ha="right", va="center", fontsize=SMALL, **look)
    axes.set(xlim=(-0.6, slots - 0.4), ylim=(agents - 0.4, -0.6), yticks=[])
    axes.set_xticks(range(slots))
    axes.tick_params(axis="x", length=0, pad=1, labelsize=SMALL)
    _hide_frame(axes, title)


def _draw_cells(axes: "Axes", grid: Grid) -> None:
    """Draw the cells as one image with white lines between rows: a tenth of the bytes of a path a cell."""
    from matplotlib.colors import to_rgb

    agents, slots = len(grid), max(map(len, grid), default=0)
    colours = [[to_rgb(_cell_style(held)[0]) for held in calendar] for calendar in grid]
    axes.imshow(colours, aspect="auto", interpolation="nearest")
    axes.vlines([s - 0.5 for s in range(slots + 1)], -0.5, agents - 0.5, color=EDGE, linewidth=0.5)
    axes.hlines([a - 0.5 for a in range(agents + 1)], -0.5, slots - 0.5, color="white", linewidth=4)
    axes.hlines(
        [a + side for a in range(agents) for side in (-0.44, 0.44)], -0.5, slots - 0.5, color=EDGE, linewidth=0.5
    )


def _frame(axes: "Axes", cell: tuple[int, int], changed: bool, blocked: bool) -> None:
    from matplotlib.patches import Rectangle

    edge, line, over = (MOVED, 1.6, 3) if changed else (HATCH, 0.0, 2)
    style: dict[str, Any] = {"facecolor": "none", "edgecolor": edge, "linewidth": line, "zorder": over}
    axes.add_patch(Rectangle((cell[0] - 0.5, cell[1] - 0.44), 1, 0.88, hatch="////" if blocked else None, **style))


def _cell_text(axes: "Axes", cell: tuple[int, int], words: str, ink: str, behind: str | None, slots: int) -> None:
    """Write a cell's text, on a patch of colour `behind` where hatches would run through it."""
    if is_narrow() and words.endswith("000"):
        words = f"{words[:-3]}k"
    box = {"boxstyle": "round,pad=0.1", "facecolor": behind, "edgecolor": "none"} if behind else None
    style: dict[str, Any] = {
        "ha": "center",
        "va": "center_baseline",
        "fontsize": SMALL,
        "rotation": 90 if is_narrow() or slots > 18 else 0,
        "zorder": 4,
    }
    axes.text(cell[0], cell[1] + 0.03, words, color=ink, bbox=box, **style)


def _name_style(game_round: Round, agent: int) -> dict[str, Any]:
    """Colour and weight of an agent's name: bold where it takes part in the round's meeting."""
    if agent in game_round["participants"]:
        return {"color": MEETING, "weight": "bold"}
    return {"color": FAINT}


def _hide_frame(axes: "Axes", title: str) -> None:
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_title(title, fontsize=7.5)


def _cell_style(held: Mapping[str, Any] | None) -> tuple[str, str, str]:
    """The colour of a slot's cell, the words in it, and their colour: the darker, the dearer to move."""
    if held is None:
        return "white", "", TEXT
    if held["kind"] == "meeting":
        return MEETING, f"M{held['id']}", "white"
    shade = 0.93 if held["cost"] < 10 else 0.80 if held["cost"] < 500 else 0.58
    return str(shade), str(held["cost"]), TEXT


def _phases(axes: "Axes", game_round: Round, agents: int, title: str) -> None:
    """Draw a line an agent: messages as arrows, in the order sent, then who moved what, and each one's final slot."""
    talk = max(MIN_TALK_WIDTH, len(game_round["messages"]) + 1.0)
    edges, widths = [0.0, talk], NARROW_WIDTHS if is_narrow() else WIDTHS
    scale = talk / MIN_TALK_WIDTH if talk > MIN_TALK_WIDTH else 1.0
    for band in BANDS[1:]:
        edges.append(edges[-1] + widths[band] * scale)
    for band, left, right in zip(BANDS, edges, edges[1:], strict=False):
        shade = "#f3f3f3" if BANDS.index(band) % 2 == 0 else "white"
        axes.axvspan(left, right, color=shade, zorder=0, linewidth=0)
        axes.text((left + right) / 2, -0.75, band, ha="center", va="center", fontsize=SMALL, color="#555555")
    for agent in range(agents):
        takes_part = agent in game_round["participants"]
        axes.hlines(
            agent, 0, edges[-1], color=MEETING if takes_part else "#cccccc", linewidth=0.8 if takes_part else 0.6
        )
    axes.set(xlim=(0, edges[-1]), ylim=(agents - 0.5, -1.1), xticks=[])
    _messages(axes, game_round["messages"])
    _moves(axes, game_round, edges, agents)
    axes.set_yticks(range(agents), [f"agent {agent}" for agent in range(agents)])
    axes.tick_params(axis="y", length=0)
    for agent, words in enumerate(axes.get_yticklabels()):
        words.set(**_name_style(game_round, agent))
    _hide_frame(axes, title)


def _messages(axes: "Axes", messages: Sequence[Mapping[str, Any]]) -> None:
    """Draw an arrow from sender to each recipient, numbered as in the transcript; a thin line separates sweeps."""
    numbered = list(enumerate(messages, start=1))
    arrows = [(place, m["from_agent"], to) for place, m in numbered for to in m["to_agents"]]
    axes.vlines(
        [p for p, _, _ in arrows], [s for _, s, _ in arrows], [to for _, _, to in arrows], color=TEXT, linewidth=0.8
    )
    axes.plot([p for p, _ in numbered], [m["from_agent"] for _, m in numbered], **_dots("o", 3.2))
    for marker, way in (("v", 1), ("^", -1)):
        tips = [(place, to - 0.09 * way) for place, sender, to in arrows if (to - sender) * way > 0]
        axes.plot([p for p, _ in tips], [y for _, y in tips], **_dots(marker, 3.6))
    sweeps = [
        place - 0.5
        for (place, m), (_, before) in zip(numbered[1:], numbered, strict=False)
        if m["turn"] != before["turn"]
    ]
    axes.vlines(sweeps, -0.45, axes.get_ylim()[0], color="#bbbbbb", linewidth=0.6, linestyle=(0, (2, 2)))
    for place, message in numbered if len(numbered) <= NUMBERED_UP_TO else ():
        below = bool(message["to_agents"]) and message["to_agents"][0] < message["from_agent"]
        axes.annotate(
            str(place), (place, message["from_agent"]), xytext=(0, -7.5 if below else 4.5), textcoords="offset points",
            ha="center", fontsize=SMALL, color=TEXT,
        )  # fmt: skip


def _dots(marker: str, size: float) -> dict[str, Any]:
    return {"marker": marker, "markersize": size, "color": TEXT, "linestyle": "none"}


def _moves(axes: "Axes", game_round: Round, edges: Sequence[float], agents: int) -> None:
    """Write what was moved in each phase, and the slot where each participant put the meeting."""
    middle = {band: (edges[i] + edges[i + 1]) / 2 for i, band in enumerate(BANDS)}
    for phase in ("voluntary", "decision"):
        for agent in range(agents):
            words = [_move(m) for m in game_round["moves"] if m["agent"] == agent and m["phase"] == phase.upper()]
            if phase == "decision" and agent in game_round["participants"] and not words:
                words = ["moves\nnothing" if is_narrow() else "moves nothing"]
            _note(axes, middle[phase], agent, words)
    for agent, slot in zip(game_round["participants"], game_round["participant_slots"], strict=True):
        _note(axes, middle["resolution"], agent, ["no slot" if slot is None else f"slot {slot}"])
    if not any(m["phase"] == "VOLUNTARY" for m in game_round["moves"]):
        _note(axes, middle["voluntary"], (agents - 1) / 2, ["nobody\nmoves" if is_narrow() else "nobody moves"])


def _move(move: Mapping[str, Any]) -> str:
    what = f"M{move['item_id']}" if move["item_kind"] == "meeting" else "errand"
    if is_narrow():
        return f"{what}\n{move['from_slot']} → {move['to_slot']}\ncost {move['cost']}"
    return f"{what} {move['from_slot']} → {move['to_slot']} (cost {move['cost']})"


def _note(axes: "Axes", x: float, agent: float, lines: Sequence[str]) -> None:
    if lines:
        box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
        axes.text(x, agent, "\n".join(lines), ha="center", va="center", fontsize=SMALL, color=TEXT, bbox=box)


def _listed(agents: Sequence[int]) -> str:
    return ", ".join(map(str, agents))
