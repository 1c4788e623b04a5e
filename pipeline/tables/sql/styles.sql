-- Each style beside what it led to: one row per team whose agents have parameters, setting, condition and measure.
-- kind is parameter (what the style was given, the mean over agents) or outcome (the mean over games, or per message).
-- `played_by` is one value, so that games without a setting find each other: a bare NULL equals none.
-- Row: one team whose agents have parameters, setting, condition and measure
-- Key: team, setting, condition, kind, name
-- Columns:
--   team, simulated, setting, condition
--   kind str: parameter: given to the agents; outcome: what it led to
--   name str: the parameter, figure or pattern
--   value float: mean over agents of a parameter, over games of an outcome; patterns a message, or a game
WITH teams AS (
    SELECT DISTINCT games.game_id, team, simulated, setting, condition
    FROM games JOIN agent_parameters USING (game_id)
),
given AS (
    SELECT team, setting, condition, 'parameter' AS kind, parameter AS name, avg(value ORDER BY game_id, agent) AS value
    FROM agent_parameters JOIN teams USING (game_id)
    GROUP BY team, setting, condition, parameter
),
played AS (
    SELECT game_id, coordination_rate, excess_cost, dms_per_meeting, fairness, vps_loss_mean AS vps
    FROM games
    JOIN game_summary USING (game_id)
    WHERE weight_mode = 'uniform'
),
outcomes AS (
    SELECT team, setting, condition, 'outcome' AS kind, name, avg(value ORDER BY game_id) AS value
    FROM (UNPIVOT (SELECT game_id, coordination_rate, excess_cost::DOUBLE AS excess_cost, dms_per_meeting, fairness, vps FROM played)
          ON COLUMNS (* EXCLUDE game_id) INTO NAME name VALUE value)
    JOIN teams USING (game_id)
    GROUP BY team, setting, condition, name
),
sent AS (
    SELECT team, setting, condition, (team, setting, condition) AS played_by, sum(dms + group_messages)::BIGINT AS messages, count(*) AS games
    FROM games SEMI JOIN teams USING (game_id)
    GROUP BY team, setting, condition
),
seen AS (
    SELECT (team, setting, condition) AS played_by, pattern, count(*) AS occurrences
    FROM patterns JOIN teams USING (game_id)
    GROUP BY team, setting, condition, pattern
),
shown AS (
    SELECT
        team,
        setting,
        condition,
        'outcome' AS kind,
        pattern AS name,
        coalesce(occurrences, 0) / CASE WHEN of_messages THEN nullif(messages, 0) ELSE games END AS value
    FROM sent
    CROSS JOIN (
        VALUES
            ('availability_gossip', true), ('confirmation_tax', true), ('errand_mention', true), ('cost_gossip', true),
            ('cost_number_disclosure', true), ('errand_id_leakage', true), ('semantic_label_leakage', true),
            ('qualitative_flattening', false), ('unilateral_displacement', false), ('ambiguous_consensus', false),
            ('cascading_failure', false), ('output_truncation', false)
    ) AS listed(pattern, of_messages)
    LEFT JOIN seen USING (played_by, pattern)
)
SELECT team, simulated, setting, condition, kind, name, value
FROM (SELECT *, (team, setting, condition) AS played_by FROM (FROM given UNION ALL FROM outcomes UNION ALL FROM shown))
JOIN (SELECT (team, setting, condition) AS played_by, bool_or(simulated) AS simulated FROM teams GROUP BY ALL) USING (played_by)
ORDER BY team, setting, condition, kind DESC, name
