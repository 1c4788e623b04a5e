-- The columns of Table 1: one row per team, setting and condition over every difficulty, and one per difficulty.
-- A game counts twice, not in GROUPING SETS: those add up sums of difficulties, whose last digits differ.
-- Means are over games that ended; DMs per meeting over games with a meeting.
WITH vps AS (
    SELECT
        game_id,
        max(vps_loss_mean) FILTER (weight_mode = 'uniform') AS vps_uniform,
        max(vps_loss_mean) FILTER (weight_mode = 'cost') AS vps_cost,
        max(all_pairs_vps_loss_mean) FILTER (weight_mode = 'uniform') AS vps_uniform_all_pairs,
        max(all_pairs_vps_loss_mean) FILTER (weight_mode = 'cost') AS vps_cost_all_pairs
    FROM game_summary
    GROUP BY game_id
)
SELECT
    team,
    bool_or(simulated) AS simulated,
    setting,
    condition,
    difficulty,
    every_difficulty,
    count(*) FILTER (NOT stopped) AS games,
    avg(meetings_scheduled) FILTER (NOT stopped) AS meetings_scheduled,
    100 * avg(coordination_rate) FILTER (NOT stopped) AS coordination_rate_pct,
    avg(excess_cost) FILTER (NOT stopped) AS excess_cost,
    avg(dms_per_meeting) FILTER (NOT stopped) AS dms_per_meeting,
    avg(fairness) FILTER (NOT stopped) AS fairness,
    avg(vps_uniform) FILTER (NOT stopped) AS vps_uniform_mean,
    avg(vps_cost) FILTER (NOT stopped) AS vps_cost_mean,
    avg(vps_uniform_all_pairs) FILTER (NOT stopped) AS vps_uniform_all_pairs_mean,
    avg(vps_cost_all_pairs) FILTER (NOT stopped) AS vps_cost_all_pairs_mean,
    avg(excess_over_greedy) FILTER (NOT stopped) AS excess_over_greedy,
    avg(meetings_kept) FILTER (NOT stopped) AS meetings_kept,
    avg(realized_cost) FILTER (NOT stopped) AS realized_cost,
    count(*) FILTER (stopped) AS games_stopped
FROM (
    SELECT * REPLACE (CASE WHEN NOT every_difficulty THEN difficulty END AS difficulty)
    FROM games CROSS JOIN (VALUES (true), (false)) AS counted (every_difficulty)
    ORDER BY game_id
)
LEFT JOIN vps USING (game_id)
GROUP BY team, setting, condition, every_difficulty, difficulty
