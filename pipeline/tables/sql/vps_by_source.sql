-- Where the privacy loss comes from.
-- A source's share is of the losses of all the group's games together, so that the shares of a group add up to 1.
-- Row: one team, setting, condition, weight mode and source of updates
-- Key: team, setting, condition, weight_mode, source
-- Columns:
--   team, simulated, setting, condition, weight_mode
--   source str: the kind of evidence that moved beliefs
--   games int: games in which it did
--   updates int: updates of beliefs
--   vps_loss_moved float [VPS]: privacy loss that they brought, all games together
--   share float: its part of the loss of all sources together
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
