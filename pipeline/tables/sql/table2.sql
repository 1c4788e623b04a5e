-- Table 2: the three patterns that explain failures.
-- Row: one team, condition and pattern of the three that explain failures, over both settings
-- Key: team, condition, pattern
-- Columns:
--   team, simulated, condition
--   level str: message or social: whether one message shows it, or what agents do together
--   pattern str: availability gossip, false agreement or qualitative flattening
--   unit str: what is counted: messages, moves, rounds, meetings or agents
--   games
--   messages int: messages that they hold, direct and in groups
--   occurrences int: how often it occurs
--   strict_occurrences int: how often by the stricter definition too
--   share_of_messages float: occurrences / messages, where messages are counted
WITH named AS (
    SELECT *
    FROM (
        VALUES
            (1, 'social', 'availability gossip', 'availability_gossip', 'messages'),
            (2, 'social', 'false agreement', 'ambiguous_consensus', 'rounds'),
            (3, 'message', 'qualitative flattening', 'qualitative_flattening', 'moves')
    ) AS listed(place, level, name, pattern, unit)
),
played AS (
    SELECT team, bool_or(simulated) AS simulated, condition, count(*) AS games, sum(dms + group_messages)::BIGINT AS messages
    FROM games
    GROUP BY team, condition
),
counted AS (
    SELECT team, condition, pattern, count(*) AS occurrences, count(*) FILTER (strict) AS strict
    FROM patterns JOIN games USING (game_id)
    GROUP BY team, condition, pattern
)
SELECT
    team,
    simulated,
    condition,
    level,
    name AS pattern,
    unit,
    games,
    messages,
    coalesce(occurrences, 0) AS occurrences,
    coalesce(strict, 0) AS strict_occurrences,
    CASE WHEN unit = 'messages' THEN coalesce(occurrences, 0) / nullif(messages, 0) END AS share_of_messages
FROM played
CROSS JOIN named
LEFT JOIN counted USING (team, condition, pattern)
ORDER BY team, condition, place
