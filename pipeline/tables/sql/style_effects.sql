-- What a style's parameters do. Patterns count per message, or per game where no message shows them.
-- The correlation is over teams, few of them, and so a hint, no test; of two, which lie on a line always, there is none.
-- by_construction marks what the parameter brings about by its meaning: that direction supports nothing.
-- `played_by` is one value, so that games without a setting find each other: a bare NULL equals none.
-- Row: one setting, condition, parameter and outcome, over the simulated teams that played every task there
-- Key: setting, condition, parameter, outcome
-- Columns:
--   setting, condition
--   parameter str: the parameter of a style
--   outcome str: the pattern, or coordination_rate, excess_cost or vps
--   teams int: the teams that state it
--   correlation float: Pearson's over these teams, a hint, no test; empty for two, or without variation
--   by_construction bool: whether the parameter brings the outcome about by its meaning
WITH parameters AS (
    SELECT team, setting, condition, (team, setting, condition) AS played_by, parameter, avg(value ORDER BY game_id, agent) AS value
    FROM agent_parameters JOIN games USING (game_id)
    WHERE simulated
    GROUP BY team, setting, condition, parameter
),
tasks AS (
    SELECT (setting, condition) AS place, (team, setting, condition) AS played_by, (coalesce(task_id, game_id), seed, calendars_digest) AS task
    FROM games
),
whole AS (
    SELECT played_by
    FROM tasks JOIN (SELECT place, count(DISTINCT task) AS every FROM tasks GROUP BY place) USING (place)
    GROUP BY played_by, every
    HAVING count(DISTINCT task) = every
),
played AS (
    SELECT
        team,
        setting,
        condition,
        (team, setting, condition) AS played_by,
        count(*) AS games,
        sum(dms + group_messages)::BIGINT AS messages,
        avg(coordination_rate ORDER BY game_id) AS coordination_rate,
        avg(excess_cost ORDER BY game_id) AS excess_cost,
        avg(vps_loss_mean ORDER BY game_id) AS vps
    FROM games
    JOIN game_summary USING (game_id)
    JOIN whole ON whole.played_by = (team, setting, condition)
    WHERE simulated AND weight_mode = 'uniform'
    GROUP BY team, setting, condition
),
seen AS (
    SELECT (team, setting, condition) AS played_by, pattern, count(*) AS occurrences
    FROM patterns JOIN games USING (game_id)
    GROUP BY team, setting, condition, pattern
),
outcomes AS (
    SELECT
        played_by,
        pattern AS outcome,
        coalesce(occurrences, 0) / CASE WHEN in_messages THEN nullif(messages, 0) ELSE games END AS value
    FROM played
    CROSS JOIN (SELECT pattern, bool_and(span_start IS NOT NULL) AS in_messages FROM patterns GROUP BY pattern)
    LEFT JOIN seen USING (played_by, pattern)
    UNION ALL
    SELECT played_by, 'coordination_rate', coordination_rate FROM played
    UNION ALL
    SELECT played_by, 'excess_cost', excess_cost FROM played
    UNION ALL
    SELECT played_by, 'vps', vps FROM played
),
meant AS (
    SELECT parameter, outcome, true AS by_construction
    FROM (
        VALUES
            ('cost_precision', 'cost_number_disclosure'), ('errand_talk', 'errand_mention'),
            ('errand_ids', 'errand_id_leakage'), ('errand_ids', 'errand_mention'),
            ('label_disclosure', 'semantic_label_leakage'), ('label_disclosure_probed', 'semantic_label_leakage'),
            ('gossip', 'availability_gossip'), ('gossip', 'cost_gossip'), ('sociability', 'confirmation_tax'),
            ('unilateral', 'unilateral_displacement'), ('unilateral', 'cascading_failure'), ('truncation', 'output_truncation'),
            ('reliability', 'ambiguous_consensus'), ('cost_grading', 'qualitative_flattening'), ('slots_offered', 'vps')
    ) AS listed(parameter, outcome)
)
SELECT
    setting,
    condition,
    parameter,
    outcome,
    count(*) AS teams,
    CASE WHEN count(*) > 2 AND count(DISTINCT parameters.value) > 1 AND count(DISTINCT outcomes.value) > 1
        THEN corr(outcomes.value, parameters.value ORDER BY team) END AS correlation,
    coalesce(bool_or(by_construction), false) AS by_construction
FROM parameters
JOIN outcomes USING (played_by)
LEFT JOIN meant USING (parameter, outcome)
GROUP BY setting, condition, parameter, outcome
ORDER BY setting, condition, parameter, outcome
