-- One row per game: what it cost, said and gave away. Ratios that do not exist are empty.

WITH
    talk AS (
        SELECT game_id, max(turn) + 1 AS sweeps FROM messages GROUP BY ALL
    )
SELECT
    g.game_id,
    g.team AS protocol,
    g.task_id,
    g.setting,
    g.density,
    g.meetings,
    g.num_slots,
    g.realized_cost,
    g.excess_cost,
    g.coordination_rate,
    g.dms_per_meeting,
    coalesce(t.sweeps, 0) AS sweeps,
    s.vps_loss_mean AS vps_mean,
    s.all_pairs_vps_loss_mean AS vps_all_pairs
FROM games g
JOIN game_summary s ON s.game_id = g.game_id AND s.weight_mode = 'uniform'
LEFT JOIN talk t ON t.game_id = g.game_id
WHERE NOT g.stopped AND g.condition = 'standard' AND NOT g.simulated
ORDER BY g.game_id
