-- Table 4, in the paper's order of ranks.
-- `strict` counts the occurrences that also hold by the stricter definition; a rate is per message sent.
-- `played_by` is one value, so that games without a setting find each other: a bare NULL equals none.
-- Row: one team, setting, condition and pattern (Table 4)
-- Key: team, setting, condition, pattern
-- Columns:
--   team, simulated, setting, condition
--   paper_rank int: its rank in the paper, from 1
--   pattern str: the pattern, by its name in the table patterns
--   level str: message or social: whether one message shows it, or what agents do together
--   unit str: what is counted: messages, moves, rounds, meetings or agents
--   games
--   messages int: messages that they hold, direct and in groups
--   occurrences int: how often it occurs
--   strict_occurrences int: how often by the stricter definition too
--   per_game float: occurrences / games
--   per_message float: occurrences / messages, where messages are counted
WITH named AS (
    SELECT *
    FROM (
        VALUES
            (1, 'availability_gossip', 'social', 'messages'),
            (2, 'confirmation_tax', 'message', 'messages'),
            (3, 'errand_mention', 'message', 'messages'),
            (4, 'cost_gossip', 'social', 'messages'),
            (5, 'cost_number_disclosure', 'message', 'messages'),
            (6, 'qualitative_flattening', 'message', 'moves'),
            (7, 'errand_id_leakage', 'message', 'messages'),
            (8, 'unilateral_displacement', 'social', 'rounds'),
            (9, 'ambiguous_consensus', 'social', 'rounds'),
            (10, 'semantic_label_leakage', 'message', 'messages'),
            (11, 'cascading_failure', 'social', 'meetings'),
            (12, 'output_truncation', 'social', 'agents')
    ) AS listed(paper_rank, pattern, level, unit)
),
played AS (
    SELECT team, bool_or(simulated) AS simulated, setting, condition, (team, setting, condition) AS played_by, count(*) AS games, sum(dms + group_messages)::BIGINT AS messages
    FROM games
    GROUP BY team, setting, condition
),
counted AS (
    SELECT (team, setting, condition) AS played_by, pattern, count(*) AS occurrences, count(*) FILTER (strict) AS strict
    FROM patterns JOIN games USING (game_id)
    GROUP BY team, setting, condition, pattern
)
SELECT
    team,
    simulated,
    setting,
    condition,
    paper_rank,
    pattern,
    level,
    unit,
    games,
    messages,
    coalesce(occurrences, 0) AS occurrences,
    coalesce(strict, 0) AS strict_occurrences,
    coalesce(occurrences, 0) / games AS per_game,
    CASE WHEN unit = 'messages' THEN coalesce(occurrences, 0) / nullif(messages, 0) END AS per_message
FROM played
CROSS JOIN named
LEFT JOIN counted USING (played_by, pattern)
ORDER BY team, setting, condition, paper_rank
