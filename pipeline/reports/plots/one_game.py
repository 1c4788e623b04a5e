"""Figure 1: the environment, drawn from one round of one game: calendars before, the four phases, calendars after."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pipeline.reports.plots.style import entitle, subplots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Round = Mapping[str, Any]
Grid = Sequence[Sequence[Mapping[str, Any] | None]]

INK, FAINT, MEETING, MOVED, EDGE, HATCH = "#222222", "#8a8a8a", "#0b4f6c", "#b8500c", "#c4c4c4", "#707070"
BANDS = ("CHEAP TALK", "VOLUNTARY", "DECISION", "RESOLUTION")
WIDTHS = {"VOLUNTARY": 2.6, "DECISION": 3.2, "RESOLUTION": 2.4}  # in messages' places
TALK_LEAST = 6.0  # places that cheap talk takes up, however short
NUMBERED_UP_TO = 40  # messages, beyond which numbers would run into each other
LEGEND = (
    "slot.   Darker: dearer to move (figures: what participants would pay).  White: free.  "
    "Hatched: fixed.  Framed: changed"
)


def overview(view: Mapping[str, Any], number: int, title: str) -> "Figure":
    """Three panels, one above the other. view: of pipeline.reports.views.game; number: which of its rounds."""
    told, agents = view["rounds"][number], len(view["agents"])
    figure, panels = subplots(
        3, 1, figsize=(6.9, 2.2 + 0.66 * agents), height_ratios=(agents + 1, 1.5 * agents, agents + 1)
    )
    who = f"M{told['meeting_id']} of agents {_listed(told['participants'])}"
    _calendars(panels[0], told["before"], told, f"A   Before: {who} has to be placed, and each sees its own row alone")
    _phases(panels[1], told, agents, "B   The round, phase by phase")
    _calendars(panels[2], told["after"], told, f"C   After: {outcome(told)}")
    whose = " (simulated speakers: no model)" if view["game"]["simulated"] else ""
    entitle(figure, f"{title}{whose}")
    figure.supxlabel(LEGEND, fontsize=7)
    return figure


def outcome(told: Round) -> str:
    """What became of the round's meeting, in a few words."""
    meeting, paid = f"M{told['meeting_id']}", f"the round cost {told['cost']}"
    if told["coordinated"]:
        best = told["oracle_slot"]
        known = (
            "" if best is None else f" (the oracle's slot is {best})" if best != told["slot"] else ", the oracle's own"
        )
        return f"{meeting} is in slot {told['slot']}{known}; {paid}"
    return f"{meeting} failed; {paid}"


def _calendars(axes: "Axes", grid: Grid, told: Round, title: str) -> None:
    """A row an agent, a cell a slot: what it costs to move what stands there, or the meeting's name.

    Costs that are none of the round's business, or have not changed when it is over, are left to the cells' shades.
    """
    agents, slots = len(grid), max(map(len, grid), default=0)
    _shades(axes, grid)
    for agent, calendar in enumerate(grid):
        for slot, held in enumerate(calendar):
            changed, blocked = told["before"][agent][slot] != told["after"][agent][slot], bool(held and held["blocked"])
            face, words, ink = _look(held)
            if changed or blocked:
                _frame(axes, (slot, agent), changed, blocked)
            asked = grid is told["before"] and agent in told["participants"]
            if changed or asked or (held and held["kind"] == "meeting"):
                _words(axes, (slot, agent), words, ink, face if blocked else None, slots)
        axes.text(-0.75, agent, f"agent {agent}", ha="right", va="center", fontsize=7.5, **_part(told, agent))
    axes.set(xlim=(-0.6, slots - 0.4), ylim=(agents - 0.4, -0.6), yticks=[])
    axes.set_xticks(range(slots))
    axes.tick_params(axis="x", length=0, pad=1, labelsize=6.5)
    _bare(axes, title)


def _shades(axes: "Axes", grid: Grid) -> None:
    """The cells: one image, and white lines between them, which is a tenth of the bytes of a path for each."""
    from matplotlib.colors import to_rgb

    agents, slots = len(grid), max(map(len, grid), default=0)
    axes.imshow(
        [[to_rgb(_look(held)[0]) for held in calendar] for calendar in grid], aspect="auto", interpolation="nearest"
    )
    axes.vlines([s - 0.5 for s in range(slots + 1)], -0.5, agents - 0.5, color=EDGE, linewidth=0.5)
    axes.hlines([a - 0.5 for a in range(agents + 1)], -0.5, slots - 0.5, color="white", linewidth=4)
    axes.hlines(
        [a + side for a in range(agents) for side in (-0.44, 0.44)], -0.5, slots - 0.5, color=EDGE, linewidth=0.5
    )


def _frame(axes: "Axes", at: tuple[int, int], changed: bool, blocked: bool) -> None:
    from matplotlib.patches import Rectangle

    edge, line, over = (MOVED, 1.6, 3) if changed else (HATCH, 0.0, 2)
    style: dict[str, Any] = {"facecolor": "none", "edgecolor": edge, "linewidth": line, "zorder": over}
    axes.add_patch(Rectangle((at[0] - 0.5, at[1] - 0.44), 1, 0.88, hatch="////" if blocked else None, **style))


def _words(axes: "Axes", at: tuple[int, int], words: str, ink: str, behind: str | None, slots: int) -> None:
    """What stands in a cell, on a patch of its colour where hatches would run through it."""
    box = {"boxstyle": "round,pad=0.1", "facecolor": behind, "edgecolor": "none"} if behind else None
    style: dict[str, Any] = {
        "ha": "center",
        "va": "center_baseline",
        "fontsize": 6.5 if slots <= 24 else 4.5,
        "zorder": 4,
    }
    axes.text(at[0], at[1] + 0.03, words, color=ink, bbox=box, **style)


def _part(told: Round, agent: int) -> dict[str, Any]:
    """How an agent's name is written: bold where it takes part in the round's meeting."""
    if agent in told["participants"]:
        return {"color": MEETING, "weight": "bold"}
    return {"color": FAINT}


def _bare(axes: "Axes", title: str) -> None:
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_title(title, fontsize=8)


def _look(held: Mapping[str, Any] | None) -> tuple[str, str, str]:
    """The colour of a slot's cell, the words in it, and their colour: the darker, the dearer to move."""
    if held is None:
        return "white", "", INK
    if held["kind"] == "meeting":
        return MEETING, f"M{held['id']}", "white"
    shade = 0.93 if held["cost"] < 10 else 0.80 if held["cost"] < 500 else 0.58
    return str(shade), str(held["cost"]), INK


def _phases(axes: "Axes", told: Round, agents: int, title: str) -> None:
    """A line an agent; arrows are messages, in the order sent; then who moved what, and where the meeting stands."""
    talk = max(TALK_LEAST, len(told["messages"]) + 1.0)
    edges = [0.0, talk]
    scale = talk / TALK_LEAST if talk > TALK_LEAST else 1.0
    for band in BANDS[1:]:
        edges.append(edges[-1] + WIDTHS[band] * scale)
    for band, left, right in zip(BANDS, edges, edges[1:], strict=False):
        shade = "#f3f3f3" if BANDS.index(band) % 2 == 0 else "white"
        axes.axvspan(left, right, color=shade, zorder=0, linewidth=0)
        axes.text((left + right) / 2, -0.75, band, ha="center", va="center", fontsize=6.5, color="#555555")
    for agent in range(agents):
        takes_part = agent in told["participants"]
        axes.hlines(
            agent, 0, edges[-1], color=MEETING if takes_part else "#cccccc", linewidth=0.8 if takes_part else 0.6
        )
    axes.set(xlim=(0, edges[-1]), ylim=(agents - 0.5, -1.1), xticks=[])
    _messages(axes, told["messages"])
    _moves(axes, told, edges, agents)
    axes.set_yticks(range(agents), [f"agent {agent}" for agent in range(agents)])
    axes.tick_params(axis="y", length=0)
    for agent, words in enumerate(axes.get_yticklabels()):
        words.set(**_part(told, agent))
    _bare(axes, title)


def _messages(axes: "Axes", messages: Sequence[Mapping[str, Any]]) -> None:
    """An arrow from sender to each recipient, numbered as the transcript is; a thin line parts the sweeps."""
    numbered = list(enumerate(messages, start=1))
    arrows = [(place, m["from_agent"], to) for place, m in numbered for to in m["to_agents"]]
    axes.vlines(
        [p for p, _, _ in arrows], [s for _, s, _ in arrows], [to for _, _, to in arrows], color=INK, linewidth=0.8
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
            ha="center", fontsize=6.5, color=INK,
        )  # fmt: skip


def _dots(marker: str, size: float) -> dict[str, Any]:
    return {"marker": marker, "markersize": size, "color": INK, "linestyle": "none"}


def _moves(axes: "Axes", told: Round, edges: Sequence[float], agents: int) -> None:
    """What was moved in each phase, and the slot where each participant put the meeting."""
    middle = {band: (edges[i] + edges[i + 1]) / 2 for i, band in enumerate(BANDS)}
    for phase in ("VOLUNTARY", "DECISION"):
        for agent in range(agents):
            words = [_move(m) for m in told["moves"] if m["agent"] == agent and m["phase"] == phase]
            if phase == "DECISION" and agent in told["participants"] and not words:
                words = ["moves nothing"]
            _note(axes, middle[phase], agent, words)
    for agent, slot in zip(told["participants"], told["participant_slots"], strict=True):
        _note(axes, middle["RESOLUTION"], agent, ["no slot" if slot is None else f"slot {slot}"])
    if not any(m["phase"] == "VOLUNTARY" for m in told["moves"]):
        _note(axes, middle["VOLUNTARY"], (agents - 1) / 2, ["nobody moves"])


def _move(move: Mapping[str, Any]) -> str:
    what = f"M{move['item_id']}" if move["item_kind"] == "meeting" else "errand"
    return f"{what} {move['from_slot']} → {move['to_slot']} (cost {move['cost']})"


def _note(axes: "Axes", x: float, agent: float, lines: Sequence[str]) -> None:
    if lines:
        box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
        axes.text(x, agent, "\n".join(lines), ha="center", va="center", fontsize=6.5, color=INK, bbox=box)


def _listed(agents: Sequence[int]) -> str:
    return ", ".join(map(str, agents))
