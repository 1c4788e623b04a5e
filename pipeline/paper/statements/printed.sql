-- What the paper's printed figures imply of its models' games.

-- The size of the study: models, games of a model in a setting, meetings of a game.
CREATE TABLE results.size AS
SELECT models, games // (2 * models) AS games, meetings
FROM (SELECT count(DISTINCT method) AS models FROM printed WHERE source = 'Table 1'),
    (SELECT value::INTEGER AS games FROM printed WHERE source = 'section 4.1' AND method = 'all models' AND metric = 'games'),
    (
        -- A model that coordinates all meetings schedules as many as a game has.
        SELECT max(scheduled.value)::INTEGER AS meetings
        FROM printed AS scheduled JOIN printed AS rate USING (source, setting, method)
        WHERE source = 'Table 1' AND scheduled.metric = 'meetings_scheduled' AND rate.metric = 'coordination_rate_pct' AND rate.value = 100
    );

-- Rounds of a model in a setting whose meeting was not coordinated, by Table 1's rate.
CREATE TABLE results.failed AS
SELECT method, setting, round((1 - value / 100) * games * meetings)::INTEGER AS failed
FROM printed, size
WHERE source = 'Table 1' AND metric = 'coordination_rate_pct';
