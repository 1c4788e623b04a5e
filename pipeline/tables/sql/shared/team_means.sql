-- The columns of Table 1: one row per team, setting and condition over every difficulty, and one per difficulty.
-- A game counts twice, not in GROUPING SETS: those add up sums of difficulties, whose last digits differ.
-- Means are over games that ended; DMs per meeting over games with a meeting. A stopped game is counted, and has no values.
-- Columns:
--   team, simulated, setting, condition, games
--   meetings_scheduled float: meetings that were coordinated in their round, a game
--   coordination_rate_pct float [%]: share of the game's meetings that were
--   excess_cost float [cost]: realised − optimal cost, a game
--   dms_per_meeting float: direct messages for each scheduled meeting, over games that have one
--   fairness float: least agent's cost / largest agent's; 1 when all are 0
--   vps_uniform_mean float [VPS]: privacy loss with equal weights, over observed pairs and rounds
--   vps_cost_mean float [VPS]: the same with cost weights
--   vps_uniform_all_pairs_mean float [VPS]: with equal weights, over all ordered pairs
--   vps_cost_all_pairs_mean float [VPS]: with cost weights, over all ordered pairs
--   excess_over_greedy float [cost]: realised cost − that of the greedy yardstick
--   meetings_kept float: scheduled meetings that stand in one common slot at the end
--   realized_cost float [cost]: cost of all moves
--   games_stopped int: games that were broken off, which no mean has
--   vps_release_mean float [VPS]: privacy loss with equal weights as the public script counts it
WITH vps AS (
    SELECT
        game_id,
        max(vps_loss_mean) FILTER (weight_mode = 'uniform') AS vps_uniform,
        max(vps_loss_mean) FILTER (weight_mode = 'cost') AS vps_cost,
        max(all_pairs_vps_loss_mean) FILTER (weight_mode = 'uniform') AS vps_uniform_all_pairs,
        max(all_pairs_vps_loss_mean) FILTER (weight_mode = 'cost') AS vps_cost_all_pairs,
        max(vps_release) FILTER (weight_mode = 'uniform') AS vps_release
    FROM game_summary
    GROUP BY game_id
),
counted_games AS (
    FROM games
    UNION ALL BY NAME
    SELECT game_id, team, simulated, setting, condition, difficulty, stopped FROM all_games.games WHERE stopped
)
SELECT
    team,
    bool_or(simulated) AS simulated,
    setting,
    condition,
    difficulty,
    every_difficulty,
    count(*) FILTER (NOT stopped) AS games,
    avg(meetings_scheduled) AS meetings_scheduled,
    100 * avg(coordination_rate) AS coordination_rate_pct,
    avg(excess_cost) AS excess_cost,
    avg(dms_per_meeting) AS dms_per_meeting,
    avg(fairness) AS fairness,
    avg(vps_uniform) AS vps_uniform_mean,
    avg(vps_cost) AS vps_cost_mean,
    avg(vps_uniform_all_pairs) AS vps_uniform_all_pairs_mean,
    avg(vps_cost_all_pairs) AS vps_cost_all_pairs_mean,
    avg(excess_over_greedy) AS excess_over_greedy,
    avg(meetings_kept) AS meetings_kept,
    avg(realized_cost) AS realized_cost,
    count(*) FILTER (stopped) AS games_stopped,
    avg(vps_release) AS vps_release_mean
FROM (
    SELECT * REPLACE (CASE WHEN NOT every_difficulty THEN difficulty END AS difficulty)
    FROM counted_games CROSS JOIN (VALUES (true), (false)) AS counted (every_difficulty)
    ORDER BY game_id
)
LEFT JOIN vps USING (game_id)
GROUP BY team, setting, condition, every_difficulty, difficulty
