-- Do harder tasks make simulated teams less fair? One row per task, with its level and what shares the stratum: setting and density.
SELECT
    task_id AS task,
    setting || ' ' || density AS stratum,
    list_position(['hard', 'medium', 'easy'], difficulty) - 1 AS level,
    sum(fairness) AS above,
    count(fairness) AS below
FROM even_games
WHERE condition = 'standard'
GROUP BY task, stratum, level
ORDER BY task
