/* One step of a round, a message or the decision: what it says, what is believed after it, and the calendars. */
"use strict";

calbench.step = function (here) {
  const { el, number, words, beliefs, calendars, message: messageView } = calbench;
  const round = here.round();
  const message = here.current();

  function controls() {
    const step = (face, by, name) =>
      el(
        "button",
        {
          type: "button",
          "data-by": String(by),
          "aria-label": name,
          disabled: here.isEnd(by),
          on: { click: () => here.move(by) },
        },
        face,
      );
    const name = message ? "Link to this message" : "Link to this decision";
    return el(
      "div",
      { class: "stepper" },
      step("←", -1, "Previous message"),
      el("strong", {}, message ? `Message ${here.at.step} of ${round.messages.length}` : "Decision"),
      step("→", 1, "Next message"),
      el("a", { href: `#${here.address()}`, class: "permalink", "aria-label": name }, "link"),
    );
  }

  function heading() {
    if (!message) return el("h2", {}, `How round ${round.round} ended `, el("small", {}, calendars.cost(round)));
    const sweep = message.sweep === null ? "" : `, sweep ${message.sweep + 1}`;
    const where = `${words.channel(message.channel)}, round ${round.round}${sweep}`;
    return el("h2", {}, `Agent ${message.from} to ${words.agents(message.to)} `, el("small", {}, where));
  }

  function pattern(one) {
    const whose = one.agent === null ? "" : ` of agent ${one.agent}`;
    return el(
      "li",
      { class: "pattern" },
      `Pattern${whose}, ${words.pattern(one.pattern)}: ${words.why(one.pattern)}.`,
    );
  }

  function decision() {
    return el(
      "div",
      {},
      el("p", { class: round.failure_reason && "warn" }, `${round.outcome}.`),
      calendars.moved(round, here.game.labels),
      round.patterns.length > 0 && el("ul", { class: "finds" }, round.patterns.map(pattern)),
    );
  }

  /* Privacy loss of the round so far, a pair that learns anything in it, and how much of it by this message. */
  function lost() {
    const pairs = beliefs.after(round, round.messages.length).held.size || 1;
    const loss = (count) => beliefs.moved(beliefs.after(round, count).held, here.game.prior) / pairs;
    const gained = loss(here.at.step) - loss(here.at.step - 1);
    const own = message && Math.abs(gained) > 1e-9 ? ` (${calbench.signed(gained, 2)} by this message)` : "";
    return ` privacy loss in this round ${number(loss(here.at.step), 2)}${own}`;
  }

  function states() {
    const turn = (state) => {
      here.at.state = state;
      here.draw(`[data-state=${state}]`);
    };
    const button = (state) =>
      el(
        "button",
        {
          type: "button",
          "aria-pressed": String(here.state() === state),
          "data-state": state,
          on: { click: () => turn(state) },
        },
        `${state} the round`,
      );
    return el(
      "span",
      { class: "tabs small", role: "group", "aria-label": "Calendars" },
      button("before"),
      button("after"),
    );
  }

  return el(
    "section",
    { class: "step", "aria-label": "This step" },
    controls(),
    heading(),
    message ? messageView.full(message) : decision(),
    el(
      "h3",
      {},
      message ? "What others believe after it" : "What others believe at the end",
      el("small", {}, lost()),
    ),
    beliefs.heatmap(here.game, round, here.at.step, here.at.everyone),
    beliefs.legend(here.game.prior),
    el("h3", {}, "Calendars ", states()),
    calendars.grid(here.game, round, here.state(), here.game.labels),
    calendars.legend(),
  );
};
