-- Means are over the meetings of all games; a position's share is of all its meetings' direct messages.
-- `played_by` is one value, so that games without a setting find each other: a bare NULL equals none.
-- Row: one team, setting, condition and speaker's place (Figure 5)
-- Key: team, setting, condition, position
-- Columns:
--   team, simulated, setting, condition
--   position int: the speaker's place among the meeting's participants, from 1; 0: all who take no part
--   meetings int: meetings of all its games
--   dms_per_meeting float: direct messages from that place / meetings
--   said_chars_per_meeting float [characters]: text said from that place / meetings
--   share_of_dms float: its part of the group's direct messages; empty where there are none
WITH said AS (
    SELECT
        team,
        simulated,
        setting,
        condition,
        (team, setting, condition) AS played_by,
        game_id,
        round,
        coalesce(position, 0) AS position,
        sum(speaker_volume.dms)::BIGINT AS dms,
        sum(said_chars)::BIGINT AS said_chars
    FROM speaker_volume JOIN games USING (game_id)
    GROUP BY ALL
),
meetings AS (
    SELECT (team, setting, condition) AS played_by, count(*) AS meetings, sum(round_volume.dms)::BIGINT AS all_dms
    FROM round_volume JOIN games USING (game_id)
    GROUP BY team, setting, condition
)
SELECT
    team,
    bool_or(simulated) AS simulated,
    setting,
    condition,
    position,
    any_value(meetings) AS meetings,
    sum(dms)::BIGINT / any_value(meetings) AS dms_per_meeting,
    sum(said_chars)::BIGINT / any_value(meetings) AS said_chars_per_meeting,
    sum(dms)::BIGINT / nullif(any_value(all_dms), 0) AS share_of_dms
FROM said
JOIN meetings USING (played_by)
GROUP BY team, setting, condition, position
ORDER BY team, setting, condition, position
