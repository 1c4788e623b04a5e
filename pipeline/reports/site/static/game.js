/* One game: where the reader is in it, and the keys and links that lead elsewhere. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const { el, words, message: messageView } = calbench;
  const place = document.getElementById("game");
  const data = calbench.loaded[document.body.dataset.game];
  const warn = (text) => place.append(el("p", { class: "warn" }, text));
  if (!data) return warn("The data of this game is not in the folder: make the site again.");
  const game = calbench.read(data);
  const rounds = game.rounds;
  if (!rounds.length) return warn("No round of this game began.");

  /* A round, and a step in it, from 1; one past the last message stands for the decision. */
  const at = { round: 0, step: 1, state: null, everyone: false, thoughts: false, keys: true };
  const here = { game, at, go, move, draw };
  here.round = () => rounds[at.round];
  here.last = () => here.round().messages.length + 1;
  here.current = () => here.round().messages[at.step - 1] || null;
  here.state = () => at.state || (here.current() ? "before" : "after");
  here.address = () => (here.current() ? `m${here.current().event}` : `r${here.round().round}`);
  here.isEnd = (by) => {
    if (by < 0) return at.round === 0 && at.step <= 1;
    return at.round === rounds.length - 1 && at.step === here.last();
  };

  /* Go where an address points: #m82 is the message of event 82, #r2 the decision of round 2, the third. */
  function locate(hash) {
    const [, kind, digits] = /^#([mr])(\d{1,9})$/.exec(hash) || [];
    const wanted = Number(digits);
    rounds.forEach((round, i) => {
      const j = round.messages.findIndex((message) => message.event === wanted);
      if (kind === "m" && j >= 0) Object.assign(at, { round: i, step: j + 1 });
      if (kind === "r" && round.round === wanted)
        Object.assign(at, { round: i, step: round.messages.length + 1 });
    });
    return Boolean(kind);
  }

  function go(round, step) {
    Object.assign(at, { round, step });
    history.replaceState(null, "", `#${here.address()}`);
    const held = document.activeElement ? document.activeElement.dataset : {};
    draw(held.step ? `.pick[data-step="${at.step}"]` : held.by ? `[data-by="${held.by}"]` : null);
    announce();
  }

  function move(by) {
    const step = at.step + by;
    if (step >= 1 && step <= here.last()) go(at.round, step);
    else if (step < 1 && at.round > 0) go(at.round - 1, rounds[at.round - 1].messages.length + 1);
    else if (step > here.last() && at.round < rounds.length - 1) go(at.round + 1, 1);
  }

  /* Tell a screen reader what was stepped to. */
  function announce() {
    const message = here.current();
    const count = here.round().messages.length;
    const who = message && `message ${at.step} of ${count}, agent ${message.from} to ${words.agents(message.to)}: `;
    const text = message && (messageView.inWords(message) || calbench.visible(message.text.slice(0, 300)));
    const step = message ? who + text : `${here.round().outcome}.`;
    document.getElementById("announcement").textContent = `Round ${here.round().round}, ${step}`;
  }

  const turn = (name) => (on) => {
    at[name] = on;
    draw();
  };
  const choices = el(
    "div",
    { class: "filters" },
    calbench.check("Beliefs of all pairs", at.everyone, turn("everyone")),
    rounds.some((round) => round.thoughts.length) &&
      calbench.check("Show private reasoning", false, turn("thoughts")),
    calbench.check("Keys: ← → messages, [ ] rounds", at.keys, turn("keys")),
  );
  const bar = el("div", {});
  const desk = el("div", { class: "desk" });

  function draw(focus) {
    const list = () => desk.querySelector(".messages");
    const scrolled = list() ? list().scrollTop : 0;
    bar.replaceChildren(calbench.rounds(here));
    desk.replaceChildren(calbench.step(here), calbench.conversation(here));
    list().scrollTop = scrolled;
    reveal(list(), desk.querySelector(".message.current"));
    if (focus && desk.querySelector(focus)) desk.querySelector(focus).focus({ preventScroll: true });
  }

  /* Scroll the list, and nothing else, so far that the message is seen. */
  function reveal(list, message) {
    const top = message.offsetTop - list.offsetTop;
    const seen = top >= list.scrollTop && top + message.offsetHeight <= list.scrollTop + list.clientHeight;
    if (!seen) list.scrollTop = top - list.clientHeight / 3;
  }

  const keys = {
    ArrowLeft: () => move(-1),
    ArrowRight: () => move(1),
    "[": () => at.round > 0 && go(at.round - 1, 1),
    "]": () => at.round < rounds.length - 1 && go(at.round + 1, 1),
  };
  document.addEventListener("keydown", (event) => {
    const elsewhere =
      event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, .scroll");
    if (!at.keys || elsewhere || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  addEventListener("hashchange", () => {
    if (!locate(location.hash)) return;
    draw();
    announce();
  });

  const linked = locate(location.hash);
  place.append(bar, choices, desk);
  draw();
  if (linked && matchMedia("(max-width: 1179px)").matches) desk.scrollIntoView();
  return null;
});
