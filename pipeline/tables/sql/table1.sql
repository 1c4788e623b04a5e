-- Row: one team, setting and condition: its means over games that ended
-- Key: team, setting, condition
-- Columns:
--   team, simulated, setting, condition, games, meetings_scheduled, coordination_rate_pct, excess_cost,
--     dms_per_meeting, fairness, vps_uniform_mean, vps_cost_mean, vps_uniform_all_pairs_mean, vps_cost_all_pairs_mean,
--     excess_over_greedy, meetings_kept, realized_cost, games_stopped, vps_release_mean
SELECT * EXCLUDE (difficulty, every_difficulty)
FROM team_means
WHERE every_difficulty
ORDER BY team, setting, condition
