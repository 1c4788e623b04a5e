/* A message's text with what it shows marked in place: evidence, leaks, patterns; overlapping marks are cut apart. */
"use strict";

calbench.marks = (() => {
  const { el, ranges, words } = calbench;

  /* Every mark of a message: where, of which kind, and what it says. */
  function marks(message) {
    const spans = [];
    const bySpan = new Map();
    for (const update of message.updates) {
      if (update.start === null) continue;
      const key = `${update.start}-${update.end}-${update.target}-${update.source}-${update.evidence > 0.5}`;
      const span = bySpan.get(key) || { start: update.start, end: update.end, kind: "evidence", update, slots: [] };
      span.slots.push(...update.beliefs.map((belief) => belief.slot).filter((slot) => slot !== null));
      bySpan.set(key, span);
    }
    for (const { update, slots, ...mark } of bySpan.values()) spans.push({ ...mark, tip: evidence(update, slots) });
    for (const leak of message.leaks)
      if (leak.start !== null) spans.push({ start: leak.start, end: leak.end, kind: "leak", tip: leakTip(leak) });
    for (const one of message.patterns)
      if (one.start !== null && one.start !== undefined)
        spans.push({
          start: one.start,
          end: one.end,
          kind: "pattern",
          tip: `Pattern, ${words.pattern(one.pattern)}: ${words.why(one.pattern)}.`,
        });
    return spans.filter((mark) => mark.start < mark.end);
  }

  const evidence = (update, slots) =>
    `Evidence about agent ${update.target}, ${slots.length ? `slot ${ranges(slots)}` : "no known slot"}: ` +
    `${update.evidence > 0.5 ? "feasible" : update.evidence < 0.5 ? "not feasible" : "undecided"} (${words.source(update.source)}).`;
  const leakTip = (leak) =>
    `Leak to agent ${leak.to}: the ${leak.tier || "private"} label “${calbench.visible(leak.label)}”` +
    `${leak.induced ? ", after probing" : ""}${leak.entitled ? "; the recipient takes part in that meeting" : ""}.`;

  /* The text, up to so many characters, in pieces; those that carry marks explain themselves, and take focus if asked to. */
  function marked(message, most, focus) {
    const text = message.text.slice(0, most);
    const all = marks(message);
    const cuts = [...new Set([0, text.length, ...all.flatMap((mark) => [mark.start, mark.end])])]
      .filter((at) => at <= text.length)
      .sort((a, b) => a - b);
    const pieces = [];
    for (let i = 0; i + 1 < cuts.length; i += 1) {
      const piece = calbench.visible(text.slice(cuts[i], cuts[i + 1]));
      const here = all.filter((mark) => mark.start <= cuts[i] && mark.end >= cuts[i + 1]);
      if (!here.length) {
        pieces.push(piece);
        continue;
      }
      const kinds = [...new Set(here.map((mark) => mark.kind))];
      pieces.push(
        el(
          "mark",
          {
            class: kinds.join(" "),
            "data-tip": [...new Set(here.map((mark) => mark.tip))].join("\n"),
            tabindex: focus ? "0" : null,
          },
          piece,
        ),
      );
    }
    const left = message.text.length - text.length + message.more;
    return el(
      "bdi",
      { class: "message-text" },
      pieces,
      left > 0 && el("span", { class: "soft" }, ` … ${calbench.number(left)} more characters`),
    );
  }

  return { marked, leakTip };
})();
