import pytest

from sim.tasks.lists import read_list, write_list
from sim.tasks.scenario import Parameters, draw_participants
from sim.tasks.suite import TaskError

HEADER = "setting,task_id,seed,num_agents,num_participants,density,difficulty"
ROW = "uniform,a,1,3,2,0.5,easy"


def listed(folder, *lines):
    path = folder / "list.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_line_of_a_list_is_an_entry(tmp_path):
    (entry,) = read_list(listed(tmp_path, HEADER, ROW))
    assert (entry.setting, entry.task_id, entry.difficulty) == ("uniform", "a", "easy")
    assert entry.parameters == Parameters(seed=1, num_agents=3, num_participants=2, density=0.5)


# One row a further column: what it holds and what it means.
COLUMNS = [
    ("num_slots", "8", {"num_slots": 8}),
    ("errand_cost_level", "4", {"errand_cost_level": 4}),
    ("errand_cost_values", "1;7", {"errand_cost_values": (1, 7)}),
    ("agent_densities", "0.1;0.2;0.3", {"agent_densities": (0.1, 0.2, 0.3)}),
    ("participant_lists", "0 1;0 2;1 2;0 1;1 2", {"participant_lists": ((0, 1), (0, 2), (1, 2), (0, 1), (1, 2))}),
    ("participant_lists", '"0,1;0,2;1,2;0,1;1,2"', {"participant_lists": ((0, 1), (0, 2), (1, 2), (0, 1), (1, 2))}),
    ("participants", ";".join(" ".join(map(str, m)) for m in draw_participants(1, 3, 2, 5)), {}),
    ("force_witness_errand", "false", {"force_witness_errand": False}),
    ("force_witness_errand", "True", {}),
    ("blocked_errands", "3", {"blocked_errands": 3}),
    ("num_slots", "", {}),
    ("optimal_cost", "12", {}),
    ("comment", "mine", {}),
]


@pytest.mark.parametrize(("column", "value", "meant"), COLUMNS)
def test_further_columns_set_further_parameters(tmp_path, column, value, meant):
    (entry,) = read_list(listed(tmp_path, f"{HEADER},{column}", f"{ROW},{value}"))
    assert entry.parameters == Parameters(seed=1, num_agents=3, num_participants=2, density=0.5, **meant)


@pytest.mark.parametrize(
    ("header", "row", "values"),
    [("", "", (1, 100, 1000)), (",errand_cost_values", ",1;5", (1, 5)), (",errand_cost_level", ",9", None)],
)
def test_varied_tasks_cost_1_100_1000_where_the_list_names_no_costs(tmp_path, header, row, values):
    path = listed(tmp_path, HEADER + header, ROW.replace("uniform", "varied") + row)
    assert read_list(path)[0].parameters.errand_cost_values == values


# One row a list that can't be used: its lines, and what is said of it.
BROKEN = [
    ([HEADER], "holds no task"),
    ([HEADER.replace(",seed", ""), "uniform,a,3,2,0.5,easy"], "the column seed is missing"),
    ([HEADER, ROW, "random,b,1,3,2,0.5,easy"], "line 3: the setting is 'random'; it must be one of uniform, varied"),
    ([HEADER, ROW, "uniform,b,one,3,2,0.5,easy"], "line 3: seed is 'one'"),
    ([HEADER, ROW, "uniform,b,1,3,2,dense,easy"], "line 3: density is 'dense'"),
    ([HEADER, "uniform,b,,3,2,0.5,easy"], "line 2: seed is empty"),
    ([HEADER, "uniform,b,1,3"], "line 2: num_participants is empty"),
    ([HEADER, "uniform,../b,1,3,2,0.5,easy"], "line 2: the task_id '../b' can't name a file"),
    ([HEADER, f"uniform,{'b' * 201},1,3,2,0.5,easy"], "can't name a file: it has more than 200 bytes; shorten it"),
    ([HEADER, ROW, ROW], "the task_id a comes twice"),
    ([f"{HEADER},agent_densities", f"{ROW},0.1;?"], "line 2: agent_densities is '0.1;?'; write numbers like"),
    ([f"{HEADER},participant_lists", f"{ROW},0-1"], "participant_lists is '0-1'; write agents like 0 1 2;0 3 4"),
    (
        [f"{HEADER},participants", f"{ROW},0 1;0 1"],
        "participants notes others than the seed draws; `participant_lists`",
    ),
    ([f"{HEADER},force_witness_errand", f"{ROW},maybe"], "force_witness_errand is 'maybe'; write true or false"),
    ([f"{HEADER},num_slotz", f"{ROW},8"], "there is no column 'num_slotz'; did you mean num_slots?"),
    ([f"{HEADER},colour", f"{ROW},red"], "no column 'colour'; leave it out, or write it into `comment`"),
    ([f"{HEADER},seed", f"{ROW},2"], "the column seed comes twice; keep one"),
    ([HEADER, f"{ROW},8"], "line 2: has more values than the header names"),
]


@pytest.mark.parametrize(("lines", "problem"), BROKEN)
def test_a_list_that_can_t_be_used_says_where_and_why(tmp_path, lines, problem):
    with pytest.raises(TaskError) as raised:
        read_list(listed(tmp_path, *lines))
    assert str(raised.value).startswith(str(tmp_path / "list.csv"))
    assert problem in str(raised.value)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b'a,"b\n'])
def test_a_file_that_is_no_csv_says_so(tmp_path, content):
    (tmp_path / "list.csv").write_bytes(content)
    with pytest.raises(TaskError, match=r"list\.csv"):
        read_list(tmp_path / "list.csv")


def test_a_written_list_reads_back(tmp_path):
    rows = [dict(zip(HEADER.split(","), ROW.split(","), strict=True)) | {"errand_cost_values": "1;5"}]
    write_list(rows, tmp_path / "deep" / "list.csv")
    (entry,) = read_list(tmp_path / "deep" / "list.csv")
    assert entry.parameters.errand_cost_values == (1, 5)
