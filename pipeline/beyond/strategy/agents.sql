-- One row per game and agent: what it paid, which of its meetings failed, what the others learnt of it, its points.
-- An update denies a slot where its evidence is 0 though the agent could have met there: free, or an errand that has
-- a free slot to go to. Points are settled in DSM's decisions (Appendix G.3): the initiator gains what the responder's
-- scores cost, less its reward.

WITH
    missed AS (
        SELECT game_id, agent, count(*) FILTER (NOT coordinated) AS missed
        FROM (SELECT game_id, coordinated, unnest(participants) AS agent FROM rounds)
        GROUP BY ALL
    ),
    learnt AS (
        SELECT game_id, target_agent AS agent, sum(vps_loss) AS vps_total, count(vps_loss) AS observed
        FROM pair_round_vps
        WHERE weight_mode = 'uniform'
        GROUP BY ALL
    ),
    checked AS (
        SELECT
            e.game_id,
            e.target_agent AS agent,
            e.evidence = 0
            AND list_contains(c.costs, 0)
            AND NOT list_contains(c.blocked, e.slot)
            AND NOT list_contains(c.meeting_slots, e.slot) AS denied
        FROM belief_evidence e
        JOIN calendars c ON c.game_id = e.game_id AND c.round = e.round AND c.agent = e.target_agent
        WHERE e.in_calendar
    ),
    believed AS (
        SELECT game_id, agent, count(*) AS updates, count(*) FILTER (denied) AS denied FROM checked GROUP BY ALL
    ),
    rewards AS (
        SELECT
            game_id,
            from_agent,
            to_agents[1] AS to_agent,
            CAST(json_extract(content, '$.reward.scoring_cost') AS BIGINT)
            - CAST(json_extract(content, '$.reward.reward') AS BIGINT) AS points
        FROM messages
        WHERE typed = 'dsm' AND json_extract_string(content, '$.dsm') = 'decision'
            AND json_extract(content, '$.reward.reward') IS NOT NULL
    ),
    settled AS (
        SELECT game_id, agent, CAST(sum(points) AS BIGINT) AS points
        FROM (
            SELECT game_id, from_agent AS agent, points FROM rewards
            UNION ALL
            SELECT game_id, to_agent, -points FROM rewards
        )
        GROUP BY ALL
    )
SELECT
    g.game_id,
    g.team,
    g.setting,
    g.task_id,
    a.agent,
    a.cost,
    coalesce(m.missed, 0) AS missed,
    g.meetings - g.meetings_scheduled AS failed,
    g.num_agents - 1 AS observers,
    g.rounds * (g.num_agents - 1) AS pair_rounds,
    coalesce(l.vps_total, 0.0) AS vps_total,
    coalesce(l.observed, 0) AS observed,
    coalesce(b.updates, 0) AS updates,
    coalesce(b.denied, 0) AS denied,
    coalesce(s.points, 0) AS points
FROM games g
JOIN agents a USING (game_id)
LEFT JOIN missed m USING (game_id, agent)
LEFT JOIN learnt l USING (game_id, agent)
LEFT JOIN believed b USING (game_id, agent)
LEFT JOIN settled s USING (game_id, agent)
WHERE NOT g.stopped AND g.condition = 'standard' AND NOT g.simulated
ORDER BY g.game_id, a.agent
