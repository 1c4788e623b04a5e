/* What observers believe of targets' slots after each message, and the privacy lost by it. */
"use strict";

calbench.beliefs = (() => {
  const { el, number } = calbench;
  const key = (target, observer) => `${target}|${observer}`;

  /* Beliefs after the first `count` messages of a round: pair → slot → belief; and what the last message changed. */
  function after(round, count) {
    const held = new Map(),
      changed = new Set();
    round.messages.slice(0, count).forEach((message, i) => {
      for (const update of message.updates) {
        for (const { observer, slot, after: belief } of update.beliefs) {
          if (belief === null || slot === null) continue;
          const pair = key(update.target, observer);
          if (!held.has(pair)) held.set(pair, new Map());
          held.get(pair).set(slot, belief);
          if (i === count - 1) changed.add(`${pair}|${slot}`);
        }
      }
    });
    return { held, changed };
  }

  /* How far all beliefs of all pairs stand from the prior. */
  const moved = (held, prior) =>
    [...held.values()]
      .flatMap((slots) => [...slots.values()])
      .reduce((sum, belief) => sum + Math.abs(belief - prior), 0);

  /* Pairs that learn anything in the round: their rows stand still while one steps through it. */
  function learning(round) {
    return new Set(
      round.messages.flatMap((message) =>
        message.updates.flatMap((update) => update.beliefs.map((belief) => key(update.target, belief.observer))),
      ),
    );
  }

  function cell(belief, prior, changed, what) {
    if (belief === undefined) return el("td", { class: "prior", "aria-label": `${what}: nothing learnt` }, "·");
    const sure = Math.round((100 * Math.abs(belief - prior)) / Math.max(prior, 1 - prior));
    const way = belief > prior ? "free" : belief < prior ? "taken" : "prior";
    const cell = el(
      "td",
      {
        class: `${way}${changed ? " changed" : ""}`,
        "data-tip": `${what}: feasible with ${number(belief, 2)}${changed ? ", by this message" : ""}`,
      },
      el("span", { class: "sign", "aria-hidden": "true" }, way === "free" ? "▴" : way === "taken" ? "▾" : "="),
      `${Math.round(100 * belief)}`,
    );
    cell.style.setProperty("--sure", `${sure}%`);
    return cell;
  }

  function truth(held) {
    if (!held) return el("td", { class: "holds" }, "");
    return el(
      "td",
      { class: `holds${held.blocked ? " blocked" : ""}` },
      held.blocked ? "▨" : held.kind === "meeting" ? `M${held.id}` : calbench.calendars.short(held.cost),
    );
  }

  /* The heatmap: for each target what its slots hold, and what each observer believes of them. */
  function heatmap(game, round, count, everyone) {
    if (!round.before.length) return calbench.calendars.tooLarge();
    const { held, changed } = after(round, count),
      learns = learning(round);
    const slots = Array.from({ length: game.game.num_slots }, (_, slot) => slot);
    const agents = game.agents.map((agent) => agent.agent);
    const groups = agents
      .map((target) => {
        const observers = agents.filter(
          (observer) => observer !== target && (everyone || learns.has(key(target, observer))),
        );
        if (!observers.length) return null;
        const rows = observers.map((observer) => {
          const pair = held.get(key(target, observer)) || new Map();
          return el(
            "tr",
            {},
            el("th", { scope: "row" }, `${observer} believes`),
            slots.map((slot) =>
              cell(
                pair.get(slot),
                game.prior,
                changed.has(`${key(target, observer)}|${slot}`),
                `Agent ${observer} about agent ${target}, slot ${slot}`,
              ),
            ),
          );
        });
        return el(
          "tbody",
          {},
          el(
            "tr",
            { class: "target" },
            el("th", { scope: "row" }, `Agent ${target} holds`),
            slots.map((slot) => truth(round.before[target][slot])),
          ),
          rows,
        );
      })
      .filter(Boolean);
    if (!groups.length) return el("p", { class: "soft" }, "Nobody learns anything about a calendar in this round.");
    return el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Beliefs after this message" },
      el(
        "table",
        { class: "grid beliefs" },
        el(
          "caption",
          { class: "hidden-text" },
          "How feasible each slot of a target is to each observer, in per cent",
        ),
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, "slot"),
            slots.map((slot) => el("th", { scope: "col" }, `${slot}`)),
          ),
        ),
        groups,
      ),
    );
  }

  const legend = (prior) =>
    el(
      "p",
      { class: "legend" },
      "How feasible a slot seems, in per cent: ",
      el("span", { class: "key taken" }, "▾5"),
      " hardly ",
      el("span", { class: "key prior" }, "·"),
      prior === null ? " nothing learnt " : ` ${number(100 * prior)}, nothing learnt `,
      el("span", { class: "key free" }, "▴95"),
      " surely ",
      el("span", { class: "key free changed" }, "▴95"),
      " changed by this message. Above each: what the agent really holds there, by what moving it costs.",
    );

  return { after, moved, heatmap, legend };
})();
