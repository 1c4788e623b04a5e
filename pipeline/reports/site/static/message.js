/* One message: its header, its text, and in words all that it shows. */
"use strict";

calbench.message = (() => {
  const { el, number, ranges, words } = calbench;
  const LONG = 5000;

  const route = (message) =>
    el(
      "span",
      { class: "route" },
      `${message.from} `,
      el("span", { "aria-hidden": "true" }, "→"),
      el("span", { class: "hidden-text" }, "to"),
      ` ${message.to.join(", ") || "nobody"}`,
    );

  /* Small words beside a message: what is found in it, by name and number, never by colour alone. */
  function chips(message) {
    const beliefs = message.updates.reduce((sum, update) => sum + update.beliefs.length, 0);
    const kinds = [...new Set(message.patterns.map((one) => one.pattern))].filter(
      (name) => name !== "semantic_label_leakage",
    );
    return el(
      "span",
      { class: "chips" },
      beliefs > 0 && el("span", { class: "chip evidence" }, `${beliefs} ${beliefs === 1 ? "belief" : "beliefs"}`),
      [...new Map(message.leaks.map((leak) => [leak.label, leak])).values()].map((leak) =>
        el(
          "span",
          { class: "chip leak", "data-tip": calbench.marks.leakTip(leak) },
          `leak: ${leak.tier || "private"}`,
        ),
      ),
      kinds.map((name) =>
        el("span", { class: "chip pattern", "data-tip": `Pattern: ${words.why(name)}.` }, words.pattern(name)),
      ),
    );
  }

  /* A protocol's JSON in words, or nothing. */
  const inWords = (message) =>
    message.words ? calbench.visible(message.words.charAt(0).toUpperCase() + message.words.slice(1)) : null;

  /* The text as it is read: a protocol's sentence with its JSON one click away, or English with its marks. */
  function text(message, most, focus) {
    const sentence = inWords(message);
    if (!sentence) return calbench.marks.marked(message, most, focus);
    if (!focus) return el("bdi", { class: "message-text typed" }, sentence);
    return [
      el("bdi", { class: "message-text typed" }, sentence),
      el(
        "details",
        { class: "json" },
        el("summary", {}, `As sent (${message.typed})`),
        el("pre", {}, pretty(message)),
      ),
    ];
  }

  function pretty(message) {
    try {
      return calbench
        .visible(JSON.stringify(JSON.parse(message.text), null, 1))
        .replaceAll("[U+000A]", "\n")
        .slice(0, 20000);
    } catch {
      return calbench.visible(message.text.slice(0, 20000));
    }
  }

  /* What the message lets each recipient believe, as sentences. */
  function evidence(message) {
    const groups = new Map();
    for (const update of message.updates) {
      for (const belief of update.beliefs) {
        const key = [belief.observer, update.target, update.source, belief.after].join("|");
        if (!groups.has(key)) groups.set(key, { update, belief, slots: [] });
        if (belief.slot !== null) groups.get(key).slots.push(belief.slot);
      }
    }
    return [...groups.values()].map(({ update, belief, slots }) =>
      el(
        "li",
        {},
        slots.length
          ? [
              `Agent ${belief.observer} about agent ${update.target}, slot ${ranges(slots)}: `,
              belief.after === null
                ? "outside the calendar, changes nothing"
                : el("strong", {}, `feasible with ${number(belief.after, 2)}`),
            ]
          : `Agent ${belief.observer} about agent ${update.target}: no slot that is known`,
        el("span", { class: "soft" }, ` · ${words.source(update.source)}`),
      ),
    );
  }

  function finds(message) {
    const leaks = message.leaks.map((leak) => el("li", { class: "leak" }, calbench.marks.leakTip(leak)));
    const kinds = [...new Set(message.patterns.map((one) => one.pattern))].map((name) =>
      el("li", { class: "pattern" }, `Pattern, ${words.pattern(name)}: ${words.why(name)}.`),
    );
    const believed = evidence(message);
    return [
      leaks.length + kinds.length > 0 && el("ul", { class: "finds" }, leaks, kinds),
      believed.length
        ? el(
            "details",
            { class: "evidence", open: believed.length <= 4 },
            el("summary", {}, `Evidence in it (${believed.length})`),
            el("ul", {}, believed),
          )
        : el("p", { class: "soft small" }, "It tells nobody anything about a slot."),
    ];
  }

  /* The message in full. */
  function full(message) {
    const body = el("div", { class: "full" }, text(message, LONG, true));
    const long =
      message.text.length > LONG &&
      el(
        "button",
        {
          type: "button",
          on: {
            click: () => {
              body.replaceChildren(...[text(message, Infinity, true)].flat());
              long.remove();
            },
          },
        },
        `Show all ${number(message.text.length)} characters`,
      );
    return el(
      "div",
      {},
      body,
      long,
      message.more > 0 &&
        el(
          "p",
          { class: "warn small" },
          `${number(message.more)} more characters are in the trace (event ${message.event}); this page leaves them out to stay light.`,
        ),
      finds(message),
    );
  }

  /* A thought, in private: shown when asked for. */
  const thought = (one) =>
    el(
      "div",
      { class: "thought" },
      el("strong", {}, `Agent ${one.agent}, in private`),
      one.phase && one.phase !== "CHEAP_TALK" ? ` (${one.phase.toLowerCase()})` : "",
      el("bdi", { class: "message-text" }, calbench.visible(one.text)),
      one.more > 0 && el("span", { class: "soft" }, ` … ${number(one.more)} more characters`),
    );

  return { route, chips, text, full, thought, inWords };
})();
