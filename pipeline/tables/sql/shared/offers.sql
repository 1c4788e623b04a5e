-- Slots that agents offered: one row per game, round, agent and slot, however often and to whomever it was offered.
-- An offer is a belief update about the sender's own slot by a proposal of SD-MAP, a plan of DSM, IMAP's decision, or a
-- proposal in English; `told` is its first event and place in the message. Costs are of the participants' calendars as
-- the round began; rounds in which one of these is not known have no rows. A slot is feasible if each participant has
-- it free, or holds an errand there that can go to a free slot: then `cost` is the sum of these errands, else it is
-- null. `least_cost` is that of the cheapest feasible slot. `own_errand` and `recipient_errand`: the sender, or a
-- participant to whom it was offered, holds an errand there that is not blocked.
WITH offered AS (
    SELECT
        game_id,
        round,
        from_agent,
        slot,
        min({'event': event_index, 'place': update_index}) AS told,
        list(observer_agent) AS recipients
    FROM belief_evidence JOIN messages USING (game_id, round, event_index)
    WHERE
        source IN ('sd_propose', 'dsm_proposals', 'imap_decision', 'language_proposal', 'language_proposal_slot_hint')
        AND target_agent = from_agent
        AND in_calendar
    GROUP BY game_id, round, from_agent, slot
),
held AS (
    SELECT
        game_id,
        round,
        agent,
        len(participants) AS needed,
        shown.slot,
        costs[1 + shown.slot] AS cost,
        list_contains(blocked, shown.slot) OR list_contains(meeting_slots, shown.slot) AS fixed
    FROM calendars JOIN rounds USING (game_id, round), unnest(range(len(costs))) AS shown(slot)
    WHERE list_contains(participants, agent)
),
slots AS (
    SELECT
        game_id,
        round,
        slot,
        CASE WHEN NOT bool_or(fixed OR (cost > 0 AND free = 0)) THEN sum(cost)::BIGINT END AS total,
        list(agent) FILTER (cost > 0 AND NOT fixed) AS displaced
    FROM (
        SELECT *, count(*) FILTER (cost = 0 AND NOT fixed) OVER (PARTITION BY game_id, round, agent) AS free FROM held
    )
    GROUP BY game_id, round, slot, needed
    HAVING count(*) = needed
)
SELECT
    offered.* EXCLUDE (recipients),
    total AS cost,
    least_cost,
    coalesce(list_contains(displaced, from_agent), false) AS own_errand,
    coalesce(list_has_any(displaced, recipients), false) AS recipient_errand
FROM offered
JOIN slots USING (game_id, round, slot)
JOIN (SELECT game_id, round, min(total) AS least_cost FROM slots GROUP BY game_id, round) USING (game_id, round)
