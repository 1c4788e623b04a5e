/* The leaderboard: teams × metrics of one condition, sorted and filtered. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const { el, number, badge, board } = calbench;
  const first = board.metrics.find((metric) => metric.key === "excess_cost") || board.metrics[0];
  const defaults = {
    condition: (board.groups[0] || {}).id,
    costs: "",
    difficulty: "all",
    density: "all",
    sort: first.key,
    up: "",
    columns: "",
    reported: "",
  };
  let now = calbench.settings(defaults);
  const group = () => board.groups.find((one) => one.id === now.condition) || board.groups[0];
  const setting = () => (group().settings.includes(now.costs) ? now.costs : group().settings[0]);
  const change = (part) => {
    now = { ...now, ...part };
    calbench.keep(now, defaults);
    draw();
  };
  const title = (name) => name.charAt(0).toUpperCase() + name.slice(1);

  function filters() {
    const tabs = el(
      "div",
      { class: "tabs", role: "group", "aria-label": "Condition" },
      board.groups.map((one) =>
        el(
          "button",
          {
            type: "button",
            "aria-pressed": String(one === group()),
            on: { click: () => change({ condition: one.id, costs: "" }) },
          },
          title(one.id),
        ),
      ),
    );
    const some = (names) => [["all", "all"], ...names.map((name) => [name, name])];
    const choices = [
      group().settings.length > 1 &&
        calbench.choice(
          "Errand costs",
          group().settings.map((s) => [s, s]),
          setting(),
          (costs) => change({ costs }),
        ),
      calbench.choice("Difficulty", some(board.difficulties), now.difficulty, (difficulty) => change({ difficulty })),
      calbench.choice("Density", some(board.densities), now.density, (density) => change({ density })),
      calbench.check("More columns", Boolean(now.columns), (on) => change({ columns: on ? "all" : "" })),
      board.reported.length > 0 &&
        calbench.check("The paper's rows, as reported", Boolean(now.reported), (on) =>
          change({ reported: on ? "yes" : "" }),
        ),
    ];
    return [tabs, ...choices.filter(Boolean)];
  }

  const cellName = () => `${now.difficulty}|${now.density}`;
  const everything = () => cellName() === "all|all";

  /* Rows to show: ours in this condition and cell, and the paper's where they are asked for and comparable. */
  function rows() {
    const here = (row) => row.condition === group().condition && row.setting === setting();
    const ours = board.rows
      .filter((row) => here(row) && row.cells[cellName()])
      .map((row) => ({ ...row, cell: row.cells[cellName()] }));
    if (!now.reported || !everything()) return ours;
    const theirs = board.reported.filter(here).map((row) => ({
      ...row,
      kind: "reported",
      cell: row.values.map((value) =>
        value === null || value === undefined ? null : [Number(value), null, null, null, null, null, value],
      ),
    }));
    return [...ours, ...theirs];
  }

  function sorted(listed) {
    if (now.sort === "team") return [...listed].sort((a, b) => (a.team < b.team ? -1 : 1) * (now.up ? -1 : 1));
    const at = board.metrics.findIndex((metric) => metric.key === now.sort);
    const up = board.metrics[at].better === "higher" ? Boolean(now.up) : !now.up;
    const value = (row) => (row.cell[at] ? row.cell[at][0] : null);
    return [...listed].sort((a, b) => {
      if (value(a) === null || value(b) === null) return (value(a) === null) - (value(b) === null);
      return (value(a) - value(b)) * (up ? 1 : -1) || (a.team < b.team ? -1 : 1);
    });
  }

  function direction(key) {
    if (key !== now.sort) return "none";
    const higher = key !== "team" && board.metrics.find((metric) => metric.key === key).better === "higher";
    return higher === Boolean(now.up) ? "ascending" : "descending";
  }

  function head(metrics) {
    const sort = (key, label) =>
      el(
        "button",
        {
          type: "button",
          class: "sort",
          on: { click: () => change({ sort: key, up: key === now.sort && !now.up ? "yes" : "" }) },
        },
        label,
        el(
          "span",
          { class: "arrow", "aria-hidden": "true" },
          { none: "", ascending: "\u00a0↑", descending: "\u00a0↓" }[direction(key)],
        ),
      );
    return el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "col", "aria-sort": direction("team") }, sort("team", "Team")),
        metrics.map((metric) =>
          el(
            "th",
            { scope: "col", "aria-sort": direction(metric.key) },
            sort(metric.key, metric.label),
            el(
              "div",
              { class: "under" },
              el("span", { class: "soft" }, `${metric.better === "higher" ? "▲" : "▼"} ${metric.unit} `),
              el(
                "button",
                {
                  type: "button",
                  class: "note",
                  "aria-label": `What ${metric.label} hides`,
                  "data-tip": `${metric.about}\n\nWhat it hides: ${metric.weakness}`,
                },
                "?",
              ),
            ),
          ),
        ),
      ),
    );
  }

  function figure(metric, cell, scale) {
    if (!cell) return el("td", { class: "none" }, "–");
    const [mean, low, high, games, rankLow, rankHigh, printed] = cell;
    const between = low !== null && high !== null;
    const rank = rankLow && (rankLow === rankHigh ? `rank ${rankLow}` : `rank ${rankLow}–${rankHigh}`);
    return el(
      "td",
      { "data-tip": games === null ? null : `${metric.label}: mean of ${games} games` },
      el(
        "div",
        { class: "mean" },
        rank && el("span", { class: "rank" }, rank),
        el("strong", {}, printed || number(mean, metric.decimals)),
      ),
      between && bar(mean, low, high, scale),
      between && el("div", { class: "ends" }, `${number(low, metric.decimals)} – ${number(high, metric.decimals)}`),
    );
  }

  /* The interval as a line on the column's scale; the figures say the same. */
  function bar(mean, low, high, [least, most]) {
    const place = (value) => 100 * (most > least ? (value - least) / (most - least) : 0.5);
    const line = el("span", { class: "line" }),
      dot = el("span", { class: "dot" });
    line.style.setProperty("left", `${place(low)}%`);
    line.style.setProperty("width", `${Math.max(1, place(high) - place(low))}%`);
    dot.style.setProperty("left", `${place(mean)}%`);
    return el("div", { class: "bar", "aria-hidden": "true" }, line, dot);
  }

  function team(row) {
    const where = new URLSearchParams({ team: row.team, condition: row.condition, setting: row.setting });
    const links =
      row.kind === "reported"
        ? [el("span", { class: "soft" }, row.sources.join("; "))]
        : [el("a", { href: `games.html#${where}` }, "games"), row.report && el("a", { href: row.report }, "report")];
    return el(
      "th",
      { scope: "row" },
      el(
        "div",
        { class: "name" },
        el("bdi", {}, calbench.visible(row.team)),
        " ",
        row.kind !== "team" && badge(row.kind),
      ),
      el("div", { class: "links" }, links),
    );
  }

  function draw() {
    const metrics = board.metrics.filter((metric) => metric.first || now.columns || metric.key === now.sort);
    const places = metrics.map((metric) => board.metrics.indexOf(metric));
    const listed = sorted(rows());
    const scales = places.map((at) => {
      const ends = listed
        .map((row) => row.cell[at])
        .filter((cell) => cell && cell[1] !== null)
        .flatMap((cell) => [cell[1], cell[2]]);
      return [Math.min(...ends), Math.max(...ends)];
    });
    const active = document.activeElement && document.activeElement.closest("#filters, #board thead");
    const focused = active && [...active.querySelectorAll("button, select, input")].indexOf(document.activeElement);
    document.getElementById("filters").replaceChildren(...filters());
    document.getElementById("board").replaceChildren(
      el("caption", { class: "hidden-text" }, `${title(group().id)}: teams and metrics`),
      head(metrics),
      el(
        "tbody",
        {},
        listed.map((row) =>
          el(
            "tr",
            { class: row.kind },
            team(row),
            metrics.map((metric, i) => figure(metric, row.cell[places[i]], scales[i])),
          ),
        ),
      ),
    );
    if (active && focused >= 0)
      [...document.getElementById(active.id || "board").querySelectorAll("button, select, input")][focused].focus();
    document.getElementById("shown").textContent = summary(listed);
  }

  /* What the table shows, in words. */
  function summary(listed) {
    const ours = listed.filter((row) => row.kind !== "reported").length;
    const theirs = listed.length - ours;
    const sorting = now.sort === "team" ? "team" : board.metrics.find((metric) => metric.key === now.sort).label;
    const several = group().settings.length > 1 ? ` (${setting()} costs)` : "";
    return [
      `${ours} teams${theirs ? ` and ${theirs} rows as the paper reports them` : ""}, ${title(group().id)}${several}, `,
      `difficulty ${now.difficulty}, density ${now.density}; `,
      `sorted by ${sorting.toLowerCase()}, ${direction(now.sort)}.`,
      now.reported && !everything() ? " The paper reports no rows for these tasks alone." : "",
    ].join("");
  }

  function notes() {
    return board.metrics.map((metric) => {
      const proof = board.notebooks && board.notebooks[metric.notebook];
      return el(
        "div",
        {},
        el("dt", {}, metric.label, " ", el("small", {}, `${metric.better === "higher" ? "▲" : "▼"} ${metric.unit}`)),
        el(
          "dd",
          {},
          el("p", {}, metric.about),
          el("p", { class: "trap" }, metric.weakness),
          proof && el("p", {}, el("a", { href: proof }, `derived and checked in ${metric.notebook}`)),
        ),
      );
    });
  }

  if (!board.metrics.some((metric) => metric.key === now.sort) && now.sort !== "team") now.sort = defaults.sort;
  document.getElementById("notes").replaceChildren(...notes());
  if (board.groups.length) draw();
});
