-- Row: one team, setting, condition and difficulty: Table 1's means over its games
-- Key: team, setting, condition, difficulty
-- Columns:
--   team, simulated, setting, condition
--   difficulty str: easy, medium or hard, or a level of an own list; empty where the traces do not say
--   games, meetings_scheduled, coordination_rate_pct, excess_cost, dms_per_meeting, fairness, vps_uniform_mean,
--     vps_cost_mean, vps_uniform_all_pairs_mean, vps_cost_all_pairs_mean, excess_over_greedy, meetings_kept,
--     realized_cost, games_stopped, vps_release_mean
SELECT * EXCLUDE (every_difficulty)
FROM team_means
WHERE NOT every_difficulty
ORDER BY team, setting, condition, difficulty
