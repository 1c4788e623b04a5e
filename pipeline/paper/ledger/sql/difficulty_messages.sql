-- Do harder tasks take simulated teams more messages per meeting? One row per task, with its level and what shares the stratum: setting and density.
SELECT
    task_id AS task,
    setting || ' ' || density AS stratum,
    list_position(['easy', 'medium', 'hard'], difficulty) - 1 AS level,
    sum(dms_per_meeting) AS above,
    count(dms_per_meeting) AS below
FROM even_games
WHERE condition = 'standard'
GROUP BY task, stratum, level
ORDER BY task
