-- Do simulated teams that put more costs into figures move fewer expensive errands? One row per team.
SELECT
    team,
    sum(occurrences) FILTER (pattern = 'cost_number_disclosure') / sum(messages) FILTER (pattern = 'cost_number_disclosure') AS x,
    sum(occurrences) FILTER (pattern = 'qualitative_flattening') AS y
FROM patterns
WHERE condition = 'standard' AND team IN (SELECT team FROM even_games WHERE condition = 'standard')
GROUP BY team
ORDER BY team
