/* What the pipeline's names mean, in words. */
"use strict";

calbench.words = (() => {
  const patterns = {
    availability_gossip: ["availability gossip", "tells of a third agent's availability"],
    confirmation_tax: ["confirmation tax", "a short message that only agrees to what was said before"],
    errand_mention: ["errand mention", "mentions an errand"],
    cost_gossip: ["cost gossip", "tells of a third agent's costs or errands"],
    cost_number_disclosure: ["cost disclosed", "says in figures what a slot costs"],
    qualitative_flattening: [
      "costly errand moved",
      "an expensive errand was moved without its cost having been named in figures",
    ],
    errand_id_leakage: ["errand number", "names an errand by its number"],
    unilateral_displacement: ["unilateral displacement", "an earlier meeting is in no common slot any more"],
    ambiguous_consensus: ["ambiguous consensus", "participants placed the meeting in different slots"],
    semantic_label_leakage: ["label leaked", "says what a private label discloses"],
    cascading_failure: ["cascading failure", "a meeting was broken in several rounds"],
    output_truncation: ["output cut off", "an agent placed nothing in a failed round"],
  };
  const sources = {
    language_positive: "says that it is free",
    language_negative: "says that it is not possible",
    language_occupied: "says that something is there",
    language_cost: "says what it costs",
    language_proposal: "proposes it",
    imap_costs: "gives its cost",
    imap_decision: "is known the decision",
    sd_propose: "proposes it",
    sd_reply: "answers the proposal",
    sd_propose_reschedule: "proposes to move a meeting there",
    sd_reschedule_reply: "answers the move",
    dsm_proposals: "offers it in a plan",
    dsm_scores: "scores a plan with it",
    dsm_decision: "chooses it",
  };
  const channels = {
    dm: "direct message",
    participant_groupchat: "to all participants",
    all_groupchat: "to all agents",
  };
  const plain = (name) => String(name).replaceAll("_", " ");
  return {
    pattern: (name) => (patterns[name] || [plain(name)])[0],
    why: (name) => (patterns[name] || ["", plain(name)])[1],
    source: (name) => sources[name] || plain(name),
    channel: (name) => channels[name] || plain(name),
    agents: (list) => (list.length === 1 ? `agent ${list[0]}` : `agents ${list.join(", ")}`),
    item: (held, labels) => {
      if (!held) return "free";
      const known = labels && labels[held.kind] && labels[held.kind][held.id];
      const label = known ? `, “${known[0]}”${known[1] ? ` (${known[1]})` : ""}` : "";
      return `${held.blocked ? "blocked " : ""}${held.kind} ${held.id}, cost ${calbench.number(held.cost)}${label}`;
    },
  };
})();
