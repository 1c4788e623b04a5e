/* Rounds as cards: what was agreed, beside the oracle, at what running cost and privacy loss. */
"use strict";

calbench.rounds = function (here) {
  const { el, number, calendars } = calbench;

  function result(round) {
    const slot = round.failure_reason ?? `slot ${round.slot}`;
    if (round.oracle_slot === null) return slot;
    return round.slot === round.oracle_slot ? `${slot} = oracle's` : `${slot} · oracle ${round.oracle_slot}`;
  }

  function card(round, i) {
    const played = here.game.rounds.slice(0, i + 1);
    const chosen = i === here.at.round ? "true" : null;
    return el(
      "button",
      {
        type: "button",
        class: round.coordinated ? "" : "failed",
        "aria-current": chosen,
        on: { click: () => here.go(i, 1) },
      },
      el("b", {}, `Round ${round.round}`),
      el("span", {}, `agents ${round.participants.join(", ")}`),
      el("span", { class: "result" }, `${round.coordinated ? "✓" : "✗"} ${result(round)}`),
      el("span", {}, calendars.cost(round)),
      el("span", {}, `privacy loss ${number(calendars.loss(round), 2)}`),
      el("span", { class: "soft" }, `so far: cost ${number(round.cost_so_far)}, loss ${number(calendars.loss(...played), 2)}`),
    );
  }

  return el("nav", { class: "rounds", "aria-label": "Rounds" }, here.game.rounds.map(card));
};
