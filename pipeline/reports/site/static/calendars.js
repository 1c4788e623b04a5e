/* Calendars of all agents before and after a round: what moved, from where to where, at what cost. */
"use strict";

calbench.calendars = (() => {
  const { el, number, words } = calbench;
  const short = (cost) =>
    cost >= 1e6 ? `${Math.round(cost / 1e5) / 10}M` : cost >= 1000 ? `${Math.round(cost / 100) / 10}k` : `${cost}`;
  const size = (cost) => (cost >= 1000 ? "costly3" : cost >= 100 ? "costly2" : cost >= 1 ? "costly1" : "costly0");

  function cell(held, note, tip, marks) {
    const face = !held
      ? ""
      : held.kind === "meeting"
        ? `M${held.id}`
        : held.blocked
          ? `▨${short(held.cost)}`
          : short(held.cost);
    const kind = !held
      ? "free-slot"
      : held.kind === "meeting"
        ? "meeting"
        : held.blocked
          ? "blocked"
          : size(held.cost);
    return el(
      "td",
      { class: `${kind} ${marks}`, "data-tip": tip },
      el("span", { class: "face" }, face),
      note && el("span", { class: "from" }, note),
    );
  }

  /* Where each item went within the round: agent|slot → the slot it left, and the other way round. */
  function moves(round) {
    const came = new Map(),
      went = new Map();
    for (const move of round.moves) {
      if (move.from === null || move.to === null) continue;
      came.set(
        `${move.agent}|${move.to}`,
        came.has(`${move.agent}|${move.from}`) ? came.get(`${move.agent}|${move.from}`) : move.from,
      );
      went.set(`${move.agent}|${move.from}`, move.to);
    }
    return { came, went };
  }

  const tooLarge = () => el("p", { class: "soft" }, "The calendars of this game are too large to draw.");

  function grid(game, round, state, labels) {
    if (!round[state].length) return tooLarge();
    const slots = Array.from({ length: game.game.num_slots }, (_, slot) => slot);
    const { came, went } = moves(round);
    const head = slots.map((slot) =>
      el(
        "th",
        { scope: "col", class: slot === round.slot ? "agreed" : null },
        `${slot}`,
        el("span", { class: "flags" }, slot === round.slot && "●", slot === round.oracle_slot && "◇"),
      ),
    );
    const rows = round[state].map((calendar, agent) => {
      const here = round.participants.includes(agent);
      return el(
        "tr",
        { class: here ? "participant" : null },
        el("th", { scope: "row" }, `agent ${agent}${here ? " ✓" : ""}`),
        calendar.map((held, slot) => {
          const from = came.get(`${agent}|${slot}`),
            to = went.get(`${agent}|${slot}`),
            after = state === "after";
          const placed = after && held && held.kind === "meeting" && held.id === round.meeting_id;
          const note = after && from !== undefined && !placed ? `←${from}` : to !== undefined ? `→${to}` : null;
          const tip =
            `Agent ${agent}, slot ${slot}: ${words.item(held, labels)}` +
            (note && note[0] === "←"
              ? `; came from slot ${from}`
              : to !== undefined
                ? `; what was here goes to slot ${to}`
                : "");
          return cell(held, note, tip, [placed && "placed", note && "moved"].filter(Boolean).join(" "));
        }),
      );
    });
    return el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": `Calendars ${state} the round` },
      el(
        "table",
        { class: "grid calendars" },
        el("caption", { class: "hidden-text" }, `Calendars ${state} round ${round.round}`),
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "slot"), head)),
        el("tbody", {}, rows),
      ),
    );
  }

  const legend = () =>
    el(
      "p",
      { class: "legend" },
      el("span", { class: "key costly1" }, "1"),
      " errand, by what moving it costs ",
      el("span", { class: "key costly3" }, "1k"),
      " a costly one ",
      el("span", { class: "key blocked" }, "▨1"),
      " blocked ",
      el("span", { class: "key meeting" }, "M2"),
      " meeting ",
      el("span", { class: "key meeting placed" }, "M3"),
      " this round's ",
      el("span", { class: "key moved" }, "←4"),
      " came from slot 4, ",
      el("span", { class: "key moved" }, "→7"),
      " goes to slot 7; ● agreed slot, ◇ the oracle's, ✓ takes part",
    );

  /* What moved, in words. */
  function moved(round, labels) {
    if (!round.moves.length) return el("p", { class: "soft" }, "Nobody moved anything.");
    return el(
      "ul",
      { class: "moves" },
      round.moves.map((move) => {
        const held = move.kind ? { kind: move.kind, id: move.item, cost: move.cost, blocked: false } : null;
        const what = held ? words.item(held, labels) : "something that was not there";
        return el(
          "li",
          {},
          `Agent ${move.agent} moved ${calbench.visible(what)} from slot ${move.from} to slot ${move.to}`,
          move.phase === "VOLUNTARY" ? " of its own accord." : ".",
        );
      }),
    );
  }

  const cost = (round) =>
    `cost ${number(round.cost)}${round.optimal_cost === null ? "" : `, the oracle's ${number(round.optimal_cost)}`}`;
  /* Privacy loss, VPS: the mean over the pairs and rounds in which somebody learnt anything; null where nobody did. */
  const loss = (...rounds) => {
    const pairs = rounds.flatMap((round) => round.vps);
    return pairs.length ? pairs.reduce((sum, pair) => sum + pair.loss, 0) / pairs.length : null;
  };
  return { grid, tooLarge, legend, moved, cost, loss, short };
})();
