-- Who speaks: one row per team, condition and model, over the agents that do not probe. Model is as the trace names it,
-- and empty where agents have none.
SELECT
    team,
    bool_or(simulated) AS simulated,
    condition,
    coalesce(model, '') AS model,
    count(*) AS agents,
    count(DISTINCT game_id) AS games,
    count(DISTINCT (coalesce(task_id, game_id), seed, calendars_digest)) AS tasks
FROM agents JOIN games USING (game_id)
WHERE NOT nosy
GROUP BY team, condition, coalesce(model, '')
ORDER BY team, condition, model
