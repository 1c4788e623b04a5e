-- Where the privacy loss comes from: one row per team, setting, condition, weight mode and source of updates.
-- A source's share is of the losses of all the group's games together, so that the shares of a group add up to 1.
SELECT
    team,
    bool_or(simulated) AS simulated,
    setting,
    condition,
    weight_mode,
    source,
    count(*) AS games,
    sum(updates)::BIGINT AS updates,
    sum(vps_loss_moved) AS vps_loss_moved,
    sum(vps_loss_moved) / nullif(sum(sum(vps_loss_moved)) OVER (PARTITION BY team, setting, condition, weight_mode), 0)
        AS share
FROM (FROM vps_by_source ORDER BY game_id, weight_mode, source)
JOIN games USING (game_id)
GROUP BY team, setting, condition, weight_mode, source
ORDER BY team, setting, condition, weight_mode, source
