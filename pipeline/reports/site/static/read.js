/* A game's data with its names: the other side of pipeline/reports/site/games.py. */
"use strict";

calbench.read = (() => {
  const named = (names) => (row) => Object.fromEntries(names.map((name, i) => [name, row[i]]));
  const agent = named(["agent", "type", "model", "nosy", "cost", "oracle"]);
  const move = named(["event", "phase", "agent", "kind", "item", "from", "to", "cost"]);
  const leak = named(["to", "label", "tier", "induced", "entitled", "start", "end"]);
  const pattern = named(["pattern", "agent", "strict", "start", "end"]);
  const ofRound = named(["event", "pattern", "agent", "strict"]);
  const thought = named(["event", "phase", "agent", "text", "more"]);
  const update = named(["source", "target", "evidence", "strength", "start", "end", "beliefs"]);
  const belief = named(["observer", "slot", "after"]);
  const item = named(["kind", "id", "cost", "blocked"]);
  const message = named([
    "event",
    "sweep",
    "channel",
    "from",
    "to",
    "typed",
    "text",
    "more",
    "updates",
    "leaks",
    "patterns",
    "words",
  ]);

  function readMessage(row) {
    const told = message(row);
    return {
      ...told,
      leaks: told.leaks.map(leak),
      patterns: told.patterns.map(pattern),
      updates: told.updates.map((one) => {
        const made = update(one);
        return { ...made, beliefs: made.beliefs.map(belief) };
      }),
    };
  }

  function readRound(told) {
    const items = [null, ...told.items.map(item)];
    const grid = (rows) => rows.map((row) => row.map((place) => items[place]));
    return {
      ...told,
      before: grid(told.before),
      after: grid(told.after),
      moves: told.moves.map(move),
      messages: told.messages.map(readMessage),
      patterns: told.patterns.map(ofRound),
      thoughts: told.thoughts.map(thought),
      vps: told.vps.map(([target, observer, loss]) => ({ target, observer, loss })),
    };
  }

  return (data) => ({ ...data, agents: data.agents.map(agent), rounds: data.rounds.map(readRound) });
})();
