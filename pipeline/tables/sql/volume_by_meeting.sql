-- Figure 4, and cost as it builds up: one row per team, setting, condition and meeting index. Means are over games.
SELECT
    team,
    bool_or(simulated) AS simulated,
    setting,
    condition,
    meeting_index,
    count(*) AS games,
    avg(round_volume.dms) AS dms,
    avg(round_volume.messages) AS messages,
    avg(round_volume.said_chars) AS said_chars,
    avg(prior_meetings_moved) AS prior_meetings_moved,
    avg(cumulative_cost) AS cumulative_cost,
    avg(cumulative_optimal_cost) AS cumulative_optimal_cost,
    avg(cumulative_excess) AS cumulative_excess
FROM round_volume
JOIN games USING (game_id)
GROUP BY team, setting, condition, meeting_index
ORDER BY team, setting, condition, meeting_index
