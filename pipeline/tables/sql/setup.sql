-- What the games of a condition and setting share.
-- A fact that differs between games has no value; a cell is a setting, density and difficulty. Tasks of one name and
-- several seeds or calendars are several, and a game that names no task is of one of its own.
-- Row: one condition, setting and fact of the set-up
-- Key: condition, setting, fact
-- Columns:
--   condition
--   setting str: uniform, varied or unknown; pooled: all together
--   fact str: tasks, tasks_per_cell, agents, participants_per_meeting, meetings or slots
--   value int: its value; empty where games differ in it
WITH played AS (
    SELECT
        condition,
        counted.setting,
        games.setting AS costs,
        density,
        difficulty,
        (coalesce(task_id, game_id), seed, calendars_digest) AS task,
        num_agents,
        meetings,
        num_slots,
        fewest,
        most
    FROM games
    JOIN (
        SELECT game_id, min(len(participants)) AS fewest, max(len(participants)) AS most FROM rounds GROUP BY game_id
    ) USING (game_id),
    unnest([coalesce(games.setting, 'unknown'), 'pooled']) AS counted(setting)
),
cells AS (
    SELECT condition, setting, count(DISTINCT task) AS tasks
    FROM played
    GROUP BY condition, setting, costs, density, difficulty
),
facts AS (
    SELECT condition, setting, 'tasks' AS fact, count(DISTINCT task) AS least, least AS largest
    FROM played
    GROUP BY condition, setting
    UNION ALL
    SELECT condition, setting, 'tasks_per_cell', min(tasks), max(tasks) FROM cells GROUP BY condition, setting
    UNION ALL
    SELECT condition, setting, 'agents', min(num_agents), max(num_agents) FROM played GROUP BY condition, setting
    UNION ALL
    SELECT condition, setting, 'participants_per_meeting', min(fewest), max(most) FROM played GROUP BY condition, setting
    UNION ALL
    SELECT condition, setting, 'meetings', min(meetings), max(meetings) FROM played GROUP BY condition, setting
    UNION ALL
    SELECT condition, setting, 'slots', min(num_slots), max(num_slots) FROM played GROUP BY condition, setting
)
SELECT condition, setting, fact, CASE WHEN least = largest THEN least END AS value
FROM facts
ORDER BY condition, setting, fact
