-- The columns of Table 1: one row per team, setting and condition over every difficulty, and one per difficulty.
-- A game counts twice, not in GROUPING SETS: those add up sums of difficulties, whose last digits differ.
-- Means are over games that ended; DMs per meeting over games with a meeting. A stopped game is counted, and has no values.
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
