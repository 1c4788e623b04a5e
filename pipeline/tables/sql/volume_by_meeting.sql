-- Figure 4, and cost as it builds up.
-- Row: one team, setting, condition and meeting: means over games (Figure 4)
-- Key: team, setting, condition, meeting_index
-- Columns:
--   team, simulated, setting, condition
--   meeting_index int: the meeting's place in the stream, from 1
--   games
--   dms float: direct messages
--   messages float: messages, direct and in groups
--   said_chars float [characters]: text said
--   prior_meetings_moved float: earlier meetings that somebody moved in its round
--   cumulative_cost float [cost]: cost of all moves until its end
--   cumulative_optimal_cost float [cost]: the oracle's cost of the meetings so far
--   cumulative_excess float [cost]: cumulative − cumulative optimal cost
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
