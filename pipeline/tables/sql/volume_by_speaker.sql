-- Figure 5: one row per team, setting, condition and speaker position; position 0 stands for all non-participants.
-- Means are over the meetings of all games; a position's share is of all its meetings' direct messages.
-- `played_by` is one value, so that games without a setting find each other: a bare NULL equals none.
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
