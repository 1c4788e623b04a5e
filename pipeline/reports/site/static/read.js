/* A game's data with its names: written by pipeline/reports/site/games.py. */
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
    const record = message(row);
    return {
      ...record,
      leaks: record.leaks.map(leak),
      patterns: record.patterns.map(pattern),
      updates: record.updates.map((one) => {
        const evidence = update(one);
        return { ...evidence, beliefs: evidence.beliefs.map(belief) };
      }),
    };
  }

  function readRound(record) {
    const items = [null, ...record.items.map(item)];
    const grid = (rows) => rows.map((row) => row.map((place) => items[place]));
    return {
      ...record,
      before: grid(record.before),
      after: grid(record.after),
      moves: record.moves.map(move),
      messages: record.messages.map(readMessage),
      patterns: record.patterns.map(ofRound),
      thoughts: record.thoughts.map(thought),
      vps: record.vps.map(([target, observer, loss]) => ({ target, observer, loss })),
    };
  }

  return (data) => ({ ...data, agents: data.agents.map(agent), rounds: data.rounds.map(readRound) });
})();
