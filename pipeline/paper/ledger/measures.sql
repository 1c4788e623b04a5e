-- What the results say in the paper's terms: one row per method, condition, setting and metric, and the result it is from.
-- `plays` has the method whose games a team's are; rows without a method only tell which result a metric is from.
-- VPS of a model is as the public script counts it, of a protocol by the paper's rule for typed messages.
-- Counts add up over settings and models, means are weighted by what they are over. All models: where all have played.
WITH measures(result, team, condition, settings, metric, value, weight) AS (
    SELECT
        'table1',
        team,
        condition,
        [setting, 'pooled'],
        unnest(['meetings_scheduled', 'coordination_rate_pct', 'excess_cost', 'dms_per_meeting', 'fairness', 'vps_uniform_mean']),
        unnest([
            meetings_scheduled, coordination_rate_pct, excess_cost, dms_per_meeting, fairness,
            CASE WHEN is_model THEN vps_release_mean ELSE vps_uniform_mean END
        ]::DOUBLE[]),
        games::DOUBLE
    FROM table1
    LEFT JOIN plays USING (team, condition)
    UNION ALL
    SELECT
        'table1_by_difficulty',
        team,
        condition,
        [setting || ':' || difficulty, 'pooled:' || difficulty],
        unnest(['dms_per_meeting', 'fairness']),
        unnest([dms_per_meeting, fairness]::DOUBLE[]),
        games::DOUBLE
    FROM table1_by_difficulty
    UNION ALL
    SELECT 'patterns', team, condition, [setting, 'pooled'], pattern, occurrences::DOUBLE, NULL
    FROM patterns
    UNION ALL
    SELECT 'table2', team, condition, ['pooled'], replace(pattern, ' ', '_'), occurrences::DOUBLE, NULL
    FROM table2
    WHERE pattern = 'false agreement'
    UNION ALL
    SELECT 'table2', team, condition, ['pooled'], 'availability_gossip_pct', 100 * share_of_messages::DOUBLE, messages::DOUBLE
    FROM table2
    WHERE pattern = 'availability gossip'
    UNION ALL
    SELECT
        'leaks',
        team,
        condition,
        [setting, 'pooled'],
        unnest(['dms', 'games', 'induced_leaks']),
        unnest([messages, games, induced_messages]::DOUBLE[]),
        NULL
    FROM leaks
    WHERE tier = 'all'
    UNION ALL
    SELECT 'leaks', team, condition, [setting, 'pooled'], 'sensitive_leaks', induced_messages::DOUBLE, NULL
    FROM leaks
    WHERE tier = 'sensitive'
    UNION ALL
    SELECT
        'stance',
        team,
        condition,
        ['pooled'],
        unnest(['acquiescence_pct', 'pushback_pct', 'acquiescence_to_pushback', 'expensive_moves']),
        unnest([acquiescence_pct, pushback_pct, ratio, expensive_moves]::DOUBLE[]),
        english_messages::DOUBLE
    FROM stance
    UNION ALL
    SELECT 'stance', team, condition, ['pooled'], 'profile', NULL, NULL
    FROM stance
),
by_method AS (
    SELECT
        counted.method,
        result,
        condition,
        pooled.setting,
        metric,
        CASE
            WHEN bool_and(weight IS NULL) THEN sum(value)
            ELSE sum(value * weight) / nullif(sum(weight) FILTER (value IS NOT NULL), 0)
        END AS value,
        count(DISTINCT plays.method) AS methods
    FROM (FROM measures ORDER BY ALL)
    LEFT JOIN plays USING (team, condition),
    unnest(CASE WHEN is_model THEN [plays.method, 'all models'] ELSE [plays.method] END) AS counted(method),
    unnest(settings) AS pooled(setting)
    GROUP BY counted.method, result, condition, pooled.setting, metric
),
complete AS (
    FROM by_method
    WHERE
        method IS DISTINCT FROM 'all models'
        OR methods = (SELECT count(*) FROM evaluated WHERE evaluated.condition = by_method.condition)
)
SELECT method, result, condition, setting, metric, value
FROM complete
UNION ALL
-- A model's share of all occurrences of a pattern.
SELECT one.method, one.result, condition, setting, metric || '_pct', 100 * one.value / nullif(total.value, 0)
FROM complete AS one
JOIN complete AS total USING (result, condition, setting, metric)
WHERE one.result = 'patterns' AND total.method = 'all models' AND one.method <> total.method
ORDER BY ALL
