/* The conversation of a round, by sweep and speaker, and its end. */
"use strict";

calbench.conversation = function (here) {
  const { el, words, message: messageView } = calbench;
  const round = here.round();
  const thoughts = here.at.thoughts ? [...round.thoughts] : [];

  /* The button of a step, by which it is chosen and found again. */
  function pick(step, attributes, face) {
    const current = here.at.step === step ? "true" : null;
    const act = { click: () => here.go(here.at.round, step) };
    const own = { type: "button", class: "pick", "aria-current": current, "data-step": String(step), on: act };
    return el("button", { ...own, ...attributes }, face);
  }

  function entry(step, kind, meta, text) {
    const act = { click: () => here.go(here.at.round, step) };
    return el(
      "li",
      { class: `message ${kind} ${here.at.step === step ? "current" : ""}` },
      el("div", { class: "meta" }, meta),
      el("div", { class: "text", on: act }, text),
    );
  }

  function spoken(message, step) {
    const name = `Message ${step}: agent ${message.from} to ${words.agents(message.to)}`;
    const group = message.channel !== "dm" && el("span", { class: "soft" }, words.channel(message.channel));
    const meta = [pick(step, { "aria-label": name }, messageView.route(message)), group, messageView.chips(message)];
    return entry(step, "", meta, messageView.text(message, 500, false));
  }

  function parts() {
    const items = [];
    let sweep;
    round.messages.forEach((message, i) => {
      if (message.sweep !== sweep) {
        sweep = message.sweep;
        items.push(el("li", { class: "sweep" }, el("h3", {}, sweep === null ? "Messages" : `Sweep ${sweep + 1}`)));
      }
      while (thoughts.length && thoughts[0].event < message.event)
        items.push(el("li", {}, messageView.thought(thoughts.shift())));
      items.push(spoken(message, i + 1));
    });
    if (!round.messages.length) items.push(el("li", { class: "soft" }, "Nobody said anything in this round."));
    items.push(...thoughts.map((one) => el("li", {}, messageView.thought(one))));
    items.push(entry(here.last(), "decision", pick(here.last(), {}, "Decision"), `${round.outcome}.`));
    return items;
  }

  const meetingLabel = here.game.labels.meeting && here.game.labels.meeting[round.meeting_id];
  const label = meetingLabel ? `, privately “${calbench.visible(meetingLabel[0])}”` : "";
  const nosy = here.game.agents.filter((agent) => agent.nosy).map((agent) => agent.agent);
  const probes = nosy.length ? ` Told to probe the others: ${words.agents(nosy)}.` : "";
  const order = round.speaker_order.join(", ") || "not told";
  return el(
    "section",
    { class: "conversation", "aria-label": `Conversation of round ${round.round}` },
    el("h2", {}, "Conversation"),
    el("p", { class: "soft small" }, `Meeting ${round.meeting_id}${label}. Speakers in turn: ${order}.${probes}`),
    el("ol", { class: "messages", tabindex: "0", "aria-label": "Messages" }, parts()),
  );
};
