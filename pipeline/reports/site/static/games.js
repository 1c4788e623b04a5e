/* The list of games: filtered, sorted, a page at a time, two to be compared. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const { el, number, badge } = calbench;
  const PAGE = 100;
  const defaults = {
    team: "",
    condition: "",
    setting: "",
    difficulty: "",
    density: "",
    sort: "",
    up: "",
    page: "0",
    find: "",
  };
  const columns = [
    ["team", "Team"],
    ["task", "Task"],
    ["condition", "Condition"],
    ["setting", "Costs"],
    ["difficulty", "Difficulty"],
    ["density", "Density"],
    ["scheduled", "Meetings"],
    ["cost", "Cost"],
    ["excess", "Excess"],
    ["dms", "Messages"],
    ["fairness", "Fairness"],
    ["vps", "Privacy loss"],
  ];
  const numeric = new Set(["scheduled", "cost", "excess", "dms", "fairness", "vps"]);
  let now = calbench.settings(defaults);
  let games = [],
    of = 0,
    marked = [];
  const change = (part) => {
    now = { ...now, page: "0", ...part };
    calbench.keep(now, defaults);
    draw();
  };

  function filters() {
    const choice = (label, column) =>
      calbench.choice(
        label,
        [["", "all"], ...calbench.listing.values(column).map((value) => [value, value])],
        now[column],
        (value) => change({ [column]: value }),
      );
    const find = el("input", { type: "search", value: now.find, on: { input: () => change({ find: find.value }) } });
    document
      .getElementById("filters")
      .replaceChildren(
        choice("Team", "team"),
        choice("Condition", "condition"),
        choice("Errand costs", "setting"),
        choice("Difficulty", "difficulty"),
        choice("Density", "density"),
        el("label", { class: "choice" }, el("span", {}, "Task contains"), find),
      );
  }

  function matchingGames() {
    const find = now.find.toLowerCase();
    const same = ["team", "condition", "setting", "difficulty", "density"].filter((column) => now[column]);
    const matches = games.filter(
      (game) =>
        same.every((column) => game[column] === now[column]) && (!find || game.task.toLowerCase().includes(find)),
    );
    if (!now.sort) return matches;
    const way = now.up ? 1 : -1;
    const order = (a, b) => (a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -way : way);
    return matches.sort((a, b) => order(a[now.sort], b[now.sort]));
  }

  function head() {
    return el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "col" }, "Compare"),
        columns.map(([key, label]) => {
          const sorts = key === now.sort ? (now.up ? "ascending" : "descending") : "none";
          const turn = { sort: key, up: numeric.has(key) === (key === now.sort && !now.up) ? "yes" : "" };
          return el(
            "th",
            { scope: "col", "aria-sort": sorts },
            el(
              "button",
              { type: "button", class: "sort", "data-key": key, on: { click: () => change(turn) } },
              label,
              el(
                "span",
                { class: "arrow", "aria-hidden": "true" },
                { none: "", ascending: "\u00a0↑", descending: "\u00a0↓" }[sorts],
              ),
            ),
          );
        }),
      ),
    );
  }

  function row(game) {
    const box = el("input", {
      type: "checkbox",
      checked: marked.includes(game.name),
      "aria-label": `Compare ${game.team} on ${game.task}`,
      on: { change: () => mark(game.name, box.checked) },
    });
    return el(
      "tr",
      {},
      el("td", {}, box),
      el(
        "th",
        { scope: "row" },
        el("a", { href: `games/${game.name}.html` }, el("bdi", {}, calbench.visible(game.team))),
        " ",
        game.simulated && badge("simulated"),
        game.stopped && badge("stopped"),
      ),
      el("td", {}, el("bdi", {}, calbench.visible(game.task)), game.repeat ? ` (repeat ${game.repeat})` : ""),
      ["condition", "setting", "difficulty", "density"].map((column) => el("td", {}, game[column])),
      el("td", { class: "n" }, `${game.scheduled} / ${game.meetings}`),
      el("td", { class: "n" }, number(game.cost)),
      el("td", { class: "n" }, game.excess === null ? "–" : calbench.signed(game.excess)),
      el("td", { class: "n" }, number(game.dms)),
      el("td", { class: "n" }, number(game.fairness, 3)),
      el("td", { class: "n" }, number(game.vps, 2)),
    );
  }

  function mark(name, on) {
    marked = [...marked.filter((other) => other !== name), ...(on ? [name] : [])].slice(-2);
    draw();
  }

  function pager(count) {
    const pages = Math.max(1, Math.ceil(count / PAGE)),
      page = Math.min(Number(now.page) || 0, pages - 1);
    const step = (label, to) =>
      el(
        "button",
        { type: "button", disabled: to < 0 || to >= pages, on: { click: () => change({ page: String(to) }) } },
        label,
      );
    const both =
      marked.length === 2 &&
      el("a", { class: "go", href: `compare.html?a=${marked[0]}&b=${marked[1]}` }, "Compare the two marked games");
    document
      .getElementById("pager")
      .replaceChildren(
        ...[
          step("Previous page", page - 1),
          el("span", {}, `Page ${page + 1} of ${pages}`),
          step("Next page", page + 1),
          both,
        ].filter(Boolean),
      );
    return page;
  }

  function draw() {
    const matches = matchingGames();
    const focused =
      document.activeElement &&
      document.activeElement.closest("#list") &&
      (document.activeElement.dataset.key || document.activeElement.getAttribute("aria-label"));
    const page = pager(matches.length);
    document
      .getElementById("list")
      .replaceChildren(
        el("caption", { class: "hidden-text" }, "Games"),
        head(),
        el("tbody", {}, matches.slice(page * PAGE, (page + 1) * PAGE).map(row)),
      );
    if (focused)
      [...document.querySelectorAll("#list button, #list input")]
        .find((one) => one.dataset.key === focused || one.getAttribute("aria-label") === focused)
        ?.focus();
    const still = games.length < of ? ` (${number(games.length)} of ${number(of)} games read so far)` : "";
    document.getElementById("shown").textContent =
      `${number(matches.length)} games${still}. ${marked.length ? `${marked.length} marked for comparison.` : ""}`;
  }

  calbench.listing.all((so_far, all) => {
    const first = !games.length;
    games = so_far;
    of = all;
    if (first) filters();
    draw();
  });
});
