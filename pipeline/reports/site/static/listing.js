/* The list of games, as it arrives in parts: rows get their names back. */
"use strict";

calbench.listing = (() => {
  const columns = ["team", "setting", "condition", "task", "difficulty", "density"];
  const counts = ["meetings", "scheduled", "optimal", "cost", "excess", "greedy", "dms", "fairness", "vps"];
  let names = null;

  function read(row) {
    const game = { name: row[0], repeat: row[7], simulated: Boolean(row[8] & 1), stopped: Boolean(row[8] & 2) };
    columns.forEach((column, i) => {
      game[column] = Object.values(names)[i][row[i + 1]] ?? "unknown";
    });
    counts.forEach((count, i) => {
      game[count] = row[i + 9];
    });
    return game;
  }

  /* All games, part by part: each(games so far, of how many) is called as they come. */
  async function all(each) {
    const first = calbench.arrived[0];
    if (!first) return;
    names = first.names;
    let games = first.rows.map(read);
    each(games, first.games);
    for (let part = 1; part < first.parts; part += 1) {
      await calbench.load(`data/games-${part}.js`);
      games = games.concat(calbench.arrived[part].rows.map(read));
      each(games, first.games);
    }
  }

  const values = (column) =>
    names ? [...Object.values(names)[columns.indexOf(column)]].map((v) => v ?? "unknown").sort() : [];
  return { all, values };
})();
