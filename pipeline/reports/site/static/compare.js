/* Two games beside each other, aligned by round. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const { el, number, badge, calendars } = calbench;
  const asked = new URLSearchParams(location.search);
  const now = { a: asked.get("a"), b: asked.get("b"), task: null };
  let games = [];
  const find = (name) => games.find((game) => game.name === name);
  const describe = (game) =>
    [
      `${game.team}${game.simulated ? " (simulated)" : ""}`,
      game.condition,
      game.repeat ? `repeat ${game.repeat}` : "",
    ]
      .filter(Boolean)
      .join(", ");
  const message = (text) => {
    document.getElementById("shown").textContent = text;
  };

  function pickers() {
    const tasks = calbench.listing.values("task");
    now.task = now.task || (find(now.a) || find(now.b) || games[0]).task;
    const same = games.filter((game) => game.task === now.task);
    const options = (kept) => [
      ["", "choose a game"],
      ...[...new Set([...same, find(kept)].filter(Boolean))].map((game) => [game.name, describe(game)]),
    ];
    document.getElementById("filters").replaceChildren(
      calbench.choice(
        "Task",
        tasks.map((task) => [task, task]),
        now.task,
        (task) => {
          Object.assign(now, { task, a: "", b: "" });
          pickers();
          show();
        },
      ),
      calbench.choice("Left", options(now.a), now.a || "", (name) => {
        now.a = name;
        show();
      }),
      calbench.choice("Right", options(now.b), now.b || "", (name) => {
        now.b = name;
        show();
      }),
    );
  }

  async function read(name) {
    if (!calbench.isPage(name)) return null;
    if (!calbench.loaded[name]) await calbench.load(`games/${name}.js`);
    return calbench.read(calbench.loaded[name]);
  }

  async function show() {
    const place = document.getElementById("pair");
    place.replaceChildren();
    if (!now.a || !now.b) {
      message("Choose a task, and two games of it.");
      return;
    }
    try {
      history.replaceState(null, "", `?a=${now.a}&b=${now.b}`);
    } catch {
      /* some browsers forbid it on a disk */
    }
    let pair;
    try {
      pair = [await read(now.a), await read(now.b)];
    } catch {
      pair = [null, null];
    }
    if (pair.some((game) => !game)) {
      message("One of these games is not in this folder.");
      return;
    }
    const [a, b] = pair;
    message(
      a.game.task_id === b.game.task_id
        ? `Both play task ${a.game.task_id}.`
        : "These games are of different tasks: rounds are aligned by number only.",
    );
    const most = Math.max(a.rounds.length, b.rounds.length);
    place.replaceChildren(
      el("div", { class: "pair heads" }, heading(a, now.a), heading(b, now.b)),
      summary(a, b, most),
      ...Array.from({ length: most }, (_, i) => section(a, b, i)),
    );
  }

  function heading(game, name) {
    const { team, simulated, condition, setting } = game.game;
    return el(
      "div",
      {},
      el(
        "h2",
        {},
        el("a", { href: `games/${name}.html` }, el("bdi", {}, calbench.visible(team))),
        " ",
        simulated && badge("simulated"),
      ),
      el(
        "p",
        { class: "badges" },
        [setting && `${setting} costs`, condition]
          .filter(Boolean)
          .map((text) => el("span", { class: "badge" }, text)),
      ),
    );
  }

  /* Both games in one table: a row a round; below, costs and messages as sums, privacy loss as its mean. */
  function summary(a, b, most) {
    const sum = (game) => ({
      cost: game.game.realized_cost,
      loss: calendars.loss(...game.rounds),
      messages: game.rounds.reduce((so_far, round) => so_far + round.messages.length, 0),
    });
    const cells = (game, i) => {
      const round = game.rounds[i];
      return round
        ? [
            el("td", {}, round.failure_reason ?? `slot ${round.slot}`),
            ...figures({ cost: round.cost, loss: calendars.loss(round), messages: round.messages.length }),
          ]
        : [el("td", { colspan: "4" }, "no such round")];
    };
    const figures = ({ cost, loss, messages }) => [
      el("td", { class: "n" }, number(cost)),
      el("td", { class: "n" }, number(loss, 2)),
      el("td", { class: "n" }, number(messages)),
    ];
    const names = ["Outcome", "Cost", "Privacy loss", "Messages"].map((name, i) =>
      el("th", { scope: "col", class: i ? "n" : null }, name),
    );
    return el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Both games by round" },
      el(
        "table",
        { class: "list both" },
        el("caption", { class: "hidden-text" }, "Both games by round"),
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("td", {}),
            el("td", {}),
            [a, b].map((game) =>
              el(
                "th",
                { scope: "colgroup", colspan: "4" },
                el("bdi", {}, calbench.visible(game.game.team)),
                game.game.simulated && " (simulated)",
              ),
            ),
          ),
          el(
            "tr",
            {},
            el("th", { scope: "col" }, "Round"),
            el("th", { scope: "col" }, "Oracle"),
            names,
            names.map((name) => name.cloneNode(true)),
          ),
        ),
        el(
          "tbody",
          {},
          Array.from({ length: most }, (_, i) => {
            const round = a.rounds[i] || b.rounds[i];
            return el(
              "tr",
              {},
              el("th", { scope: "row" }, el("a", { href: `#round-${i}` }, `${round.round}`)),
              el("td", {}, round.oracle_slot === null ? "–" : `slot ${round.oracle_slot}`),
              cells(a, i),
              cells(b, i),
            );
          }),
        ),
        el(
          "tfoot",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "row", colspan: "2" }, "All rounds"),
            [a, b].map((game) => [
              el("td", {}, `${game.game.meetings_scheduled} of ${game.game.meetings}`),
              ...figures(sum(game)),
            ]),
          ),
        ),
      ),
    );
  }

  function section(a, b, i) {
    return el(
      "section",
      { class: "aligned", id: `round-${i}`, "aria-label": `Round ${i}` },
      el("h2", {}, `Round ${i}`),
      el(
        "div",
        { class: "pair" },
        [
          [a, now.a],
          [b, now.b],
        ].map(([game, name]) => side(game, name, game.rounds[i])),
      ),
    );
  }

  function side(game, name, round) {
    if (!round) return el("div", {}, el("p", { class: "soft" }, "This game has no such round."));
    const whose = `${calbench.visible(game.game.team)}${game.game.simulated ? " (simulated)" : ""}`;
    return el(
      "div",
      {},
      el("h3", {}, el("bdi", {}, whose)),
      el("p", {}, `${round.outcome}.`),
      el(
        "p",
        { class: "soft" },
        `${calendars.cost(round)}; privacy loss ${number(calendars.loss(round), 2)}; ${round.messages.length} messages`,
      ),
      calendars.moved(round, game.labels),
      calendars.grid(game, round, "after", game.labels),
      talk(name, round),
    );
  }

  /* The conversation, put together when it is opened. */
  function talk(name, round) {
    const item = (one) =>
      el(
        "li",
        { class: "message" },
        el(
          "div",
          { class: "meta" },
          el("a", { href: `games/${name}.html#m${one.event}` }, calbench.message.route(one)),
          calbench.message.chips(one),
        ),
        el("div", { class: "text" }, calbench.message.text(one, 500, false)),
      );
    const list = el("ol", { class: "messages" });
    const fill = () => list.childElementCount || list.append(...round.messages.map(item));
    const summary = el("summary", {}, `Conversation, ${round.messages.length} messages`);
    return el("details", { on: { toggle: fill } }, summary, list);
  }

  calbench.listing
    .all((so_far) => {
      games = so_far;
    })
    .then(() => {
      if (games.length) {
        pickers();
        show();
      }
    });
});
