-- Semantic leaks (section 4, Appendix C).
-- A leaked message counts once a tier, however many labels and recipients it has; a rate is of all messages sent.
-- `played_by` is one value, so that games without a setting find each other: a bare NULL equals none.
-- Row: one team, setting, condition and tier of labels: semantic leaks (Appendix C)
-- Key: team, setting, condition, tier
-- Columns:
--   team, simulated, setting, condition
--   tier str: sensitive, neutral, public or unknown; all: every tier
--   games
--   messages int: messages that they hold, direct and in groups
--   leaked_messages int: messages that disclose a label of the tier, each once
--   induced_messages int: those sent to a probing agent, or after one wrote to the sender in the same round
--   spontaneous_messages int: the others
--   messages_to_entitled int: those that tell a recipient the label of a meeting that it takes part in
--   leaks int: rows of the table leaks: a message, label and recipient each
--   leaked_share float: leaked messages / messages
--   induced_share float: induced messages / messages
WITH sent AS (
    SELECT team, bool_or(simulated) AS simulated, setting, condition, (team, setting, condition) AS played_by, count(*) AS games, sum(dms + group_messages)::BIGINT AS messages
    FROM games
    GROUP BY team, setting, condition
),
tiered AS (
    SELECT (team, setting, condition) AS played_by, counted.tier, game_id, event_index, induced, recipient_entitled
    FROM leaks JOIN games USING (game_id), unnest([coalesce(leaks.tier, 'unknown'), 'all']) AS counted(tier)
)
SELECT
    team,
    simulated,
    setting,
    condition,
    tier,
    games,
    messages,
    count(DISTINCT (game_id, event_index)) FILTER (game_id IS NOT NULL) AS leaked_messages,
    count(DISTINCT (game_id, event_index)) FILTER (induced) AS induced_messages,
    count(DISTINCT (game_id, event_index)) FILTER (NOT induced) AS spontaneous_messages,
    count(DISTINCT (game_id, event_index)) FILTER (recipient_entitled) AS messages_to_entitled,
    count(game_id) AS leaks,
    leaked_messages / nullif(messages, 0) AS leaked_share,
    induced_messages / nullif(messages, 0) AS induced_share
FROM sent
CROSS JOIN (VALUES ('all'), ('sensitive'), ('neutral'), ('public'), ('unknown')) AS tiers(tier)
LEFT JOIN tiered USING (played_by, tier)
GROUP BY team, simulated, setting, condition, tier, games, messages
ORDER BY team, setting, condition, array_position(['all', 'sensitive', 'neutral', 'public', 'unknown'], tier)
