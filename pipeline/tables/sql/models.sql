-- Who speaks.
-- Row: one team, condition and model of agents that do not probe
-- Key: team, condition, model
-- Columns:
--   team, simulated, condition
--   model str: the model as the traces name it; empty for agents without one
--   agents int: agents with it, in all games
--   games
--   tasks int: their tasks
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
