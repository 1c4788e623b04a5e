"""The tables of larger worlds, declared: tasks, games, means by size, exponents of growth, and densities."""

from pipeline.tables.schemas.table import C, Table

TASK = C("task_id", "str", "the task")
SETTING = C("setting", "str", "uniform or varied errand costs")
PROTOCOL = C("protocol", "str", "who played")
SWEEP = C("sweep", "str", "the size that changes: agents, slots, meetings, participants, density; or one cell's name")
SIZES = (
    C("num_agents", "int", "agents"),
    C("num_participants", "int", "participants of a meeting"),
    C("num_slots", "int", "slots of a calendar"),
    C("num_meetings", "int", "meetings of the stream"),
    C("density", "float", "share of slots that errands are asked to fill"),
)
ENDS = (
    C("mean", "float", "its mean over games"),
    C("low", "float", "its 95 % interval, for which tasks are drawn anew"),
    C("high", "float", "its end"),
)

TASKS = Table(
    "worlds_tasks",
    "one task: how large it is, how far its optimum is known",
    ("task_id",),
    (
        TASK,
        SETTING,
        *SIZES,
        C("errands", "float", "errands on a calendar at first, mean over agents"),
        C("best_cost", "int", "cost of the cheapest schedule known", "cost"),
        C("bound", "int", "no schedule is cheaper; best_cost where that is the optimum", "cost"),
        C("proven", "bool", "whether best_cost is the optimum"),
        C("greedy_excess", "int", "cost of the greedy yardstick − best_cost", "cost"),
    ),
)

GAMES = Table(
    "worlds_games",
    "one game of a protocol on a task of the grid",
    ("protocol", "task_id"),
    (
        PROTOCOL,
        TASK,
        SETTING,
        *SIZES,
        C("coordination_rate", "float", "meetings coordinated in their round / meetings"),
        C("excess", "int", "realised cost − best_cost: the least that the excess can be", "cost"),
        C("most_excess", "int", "realised cost − bound: the most that it can be", "cost"),
        C("excess_per_meeting", "float", "excess / meetings", "cost"),
        C("greedy_excess_per_meeting", "float", "the greedy yardstick's excess / meetings", "cost"),
        C("dms_per_meeting", "float", "direct messages / meetings scheduled; empty without any"),
        C("sweeps", "int", "most sweeps of cheap talk in a round that sent something"),
        C("vps_mean", "float", "VPS, mean over observed pair-rounds (the paper's); empty without any", "VPS"),
        C("vps_all_pairs", "float", "VPS, mean over all pair-rounds, unobserved ones as 0", "VPS"),
        C("vps_per_slot", "float", "vps_mean / slots of a calendar", "VPS"),
        C("bits", "float", "bits about an agent that another holds at the end, mean over ordered pairs", "bits"),
        C("bits_per_meeting", "float", "the same, added up over pairs / meetings", "bits"),
    ),
)

POINTS = Table(
    "worlds_points",
    "one measure of a protocol's games in one cell of a sweep",
    ("sweep", "value", "setting", "protocol", "measure"),
    (
        SWEEP,
        C("value", "float", "the size that changes; of a single cell its agents"),
        SETTING,
        PROTOCOL,
        C("measure", "str", "a column of worlds_games"),
        C("mean", "float", "its mean over worlds"),
        C("low", "float", "its 95 % interval, Student's t over the worlds of the cell"),
        C("high", "float", "its end"),
        C("games", "int", "games with a value"),
        C("tasks", "int", "tasks"),
    ),
)

GROWTH = Table(
    "worlds_growth",
    "how one measure of a protocol grows in a sweep: the exponent of a power law",
    ("sweep", "setting", "protocol", "measure"),
    (
        SWEEP,
        SETTING,
        PROTOCOL,
        C("measure", "str", "a column of worlds_games"),
        C("exponent", "float", "slope of log mean on log size, least squares; empty where a mean is not above 0"),
        C("low", "float", "its 95 % interval, Student's t by the spread of the worlds within cells"),
        C("high", "float", "its end"),
        C("df", "float", "degrees of freedom of that t; empty where the worlds of each cell are alike"),
        C("cells", "int", "sizes that the line is fitted to"),
    ),
)

DENSITIES = Table(
    "worlds_densities",
    "one suite and density: how many slots its errands fill, and how the protocols fare",
    ("suite", "density", "setting", "protocol", "measure"),
    (
        C("suite", "str", "published: the paper's 72 tasks; three densities: ours"),
        C("density", "float", "the density that is asked for"),
        SETTING,
        PROTOCOL,
        C("measure", "str", "a column of worlds_games, or excess_cost"),
        C("least_errands", "int", "errands on a calendar at first: the fewest"),
        C("most_errands", "int", "the most"),
        *ENDS,
        C("games", "int", "games with a value"),
        C("tasks", "int", "tasks"),
    ),
)

HELD_OUT = Table(
    "worlds_held_out",
    "one game of a protocol beyond the paper on a task that no parameter of it was chosen on, beside IMAP's game",
    ("suite", "protocol", "task_id"),
    (
        C("suite", "str", "worlds: the grid; three densities"),
        PROTOCOL,
        TASK,
        SETTING,
        C("outsider", "bool", "whether each meeting leaves an agent out"),
        C("meetings", "int", "meetings of the game"),
        C("scheduled", "int", "meetings that were coordinated in their round"),
        C("same", "int", "rounds after which each participant holds the meeting where it does after IMAP's"),
        C("last_turn", "int", "the last sweep of cheap talk, from 0, of any round in which a message was sent"),
        C("excess", "int", "realised cost − cost of the cheapest schedule known", "cost"),
    ),
)

WORLDS_TABLES = {table.name: table for table in (TASKS, GAMES, POINTS, GROWTH, DENSITIES, HELD_OUT)}
