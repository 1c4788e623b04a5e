"""Tables in files, result tables by SQL, the database, the comparison and the dictionary."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest
from duckdb import DuckDBPyConnection
from trace_builder import CALENDARS, toy_game, write_trace
from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.derive import parallel
from pipeline.paper import compare
from pipeline.reports.batch.own_study import folders_at_hand
from pipeline.statistics.by_game import by_game, with_tasks
from pipeline.statistics.caveats import uneven_tasks
from pipeline.tables import io, queries
from pipeline.tables.paths import PAPER_SUITE, ROOT, missing_tables, no_tables
from pipeline.tables.paths import TABLES as STUDY
from pipeline.tables.schemas.base import REJECTED, TABLES
from pipeline.tables.schemas.results import RESULT_TABLES


@pytest.fixture(scope="module")
def derived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("derived")
    style = [{"type": "style", "parameters": {"patience": 2}}]
    for game, team in (("a", "imap"), ("b", "imap"), ("c", "sd")):
        more = {"simulated": True, "agents": style * 3} if team == "sd" else {}
        write_trace(
            folder / "in" / f"{game}.json",
            toy_game(game, team=team, difficulty="easy", **more).rendered(0, 0, CALENDARS[0]).text(),
        )
    parallel.derive([folder / "in"], folder / "out", parallel.Recipe(csv=False), workers=1)
    return folder / "out"


@pytest.fixture(scope="module")
def attached(derived: Path) -> Iterator[DuckDBPyConnection]:
    with queries.attach(derived) as connection:
        yield connection


def rejected(*rows: tuple[str, str, str]) -> pl.DataFrame:
    return io.to_frame(REJECTED, rows)


def test_a_table_is_written_in_the_order_of_its_key(tmp_path: Path) -> None:
    shape = io.write_table(rejected(("b", "y", ""), ("a", "x", "")), REJECTED, tmp_path)
    assert io.read_table(tmp_path, "rejected")["path"].to_list() == ["a", "b"]
    assert (shape["rows"], shape["key"]) == (2, ["path", "reason", "place"])
    assert shape["columns"] == {"path": "str", "reason": "str", "place": "str"}


def test_two_rows_with_one_key_are_refused_and_the_old_file_stays(tmp_path: Path) -> None:
    io.write_table(rejected(("a", "x", "")), REJECTED, tmp_path)
    with pytest.raises(ValueError, match="rejected: two rows share the key"):
        io.write_table(rejected(("b", "x", ""), ("b", "x", "")), REJECTED, tmp_path)
    assert io.read_table(tmp_path, "rejected")["path"].to_list() == ["a"]
    assert {path.name for path in tmp_path.iterdir()} == {"rejected.csv", "rejected.parquet"}


LISTS = ([[1, 2], [], [3]], [[], []], [[None, 4], [5]], [[7]], [])


@pytest.mark.parametrize("values", LISTS)
def test_a_column_of_lists_keeps_every_list(values: list[list[int | None]]) -> None:
    rows = [("g", i, 0, 0, value, [], []) for i, value in enumerate(values)]
    assert io.to_frame(TABLES["calendars"], rows)["costs"].to_list() == values


def test_numbers_are_written_at_full_precision(tmp_path: Path) -> None:
    values = [1 / 3, 0.1 + 0.2, 1e-17, 12345678.9]
    io.write_csv(pl.DataFrame({"x": values}), tmp_path / "x.csv")
    assert [float(line) for line in (tmp_path / "x.csv").read_text().split()[1:]] == values


def test_table_1_has_a_row_per_team_setting_and_condition(derived: Path) -> None:
    table = queries.query("table1", derived)
    assert table.select("team", "setting", "condition", "games").rows() == [
        ("imap", "uniform", "standard", 2),
        ("sd", "uniform", "standard", 1),
    ]
    row = table.row(0, named=True)
    assert (row["coordination_rate_pct"], row["excess_cost"], row["dms_per_meeting"]) == (50.0, 3.0, 4.0)
    assert row["vps_uniform_mean"] == pytest.approx((1.5 + 0.5 + 0.45) / 3)
    assert row["vps_uniform_all_pairs_mean"] == pytest.approx((1.5 + 0.5 + 0.45) / 12)


@pytest.mark.parametrize("name", queries.query_names())
def test_every_query_runs_and_ends_in_an_order(name: str, attached: DuckDBPyConnection) -> None:
    assert (queries.SQL / f"{name}.sql").read_text().strip().splitlines()[-1].startswith("ORDER BY")
    first, second = (attached.sql(queries.query_text(name)).pl() for _ in range(2))
    assert first.height > 0
    assert first.equals(second)
    declared = io.polars_schema(RESULT_TABLES[name])
    assert tuple(first.columns) == tuple(declared) and first.cast(declared).equals(first)


def test_a_task_is_its_name_seed_and_calendars_and_one_without_a_name_is_its_own(tmp_path: Path) -> None:
    played = [("t", 1, b"4"), ("t", 1, b"4"), ("t", 2, b"4"), ("t", 2, b"5"), (None, 3, b"4"), (None, 3, b"4")]
    for number, (task, seed, cost) in enumerate(played):
        game = toy_game(f"g{number}", team="imap", task_id=task, seed=seed, repeat=number).text()
        write_trace(tmp_path / "in" / f"{number}.json", game.replace(b"(cost=4)", b"(cost=%s)" % cost))
    parallel.derive([tmp_path / "in"], tmp_path / "out", parallel.Recipe(csv=False), workers=1)
    setup = queries.query("setup", tmp_path / "out").filter(setting="pooled", fact="tasks")
    assert setup["value"].to_list() == queries.query("models", tmp_path / "out")["tasks"].to_list() == [5]
    games = io.read_table(tmp_path / "out", "games").sort("repeat")
    names = with_tasks(games)["task_id"].to_list()
    assert names[:2] == ["t, seed 1"] * 2 and [name[:21] for name in names[2:4]] == ["t, seed 2, calendars "] * 2
    assert len(set(names)) == 5 and names[4:] == ["g4", "g5"]
    assert uneven_tasks(games) == [
        "imap, standard, uniform: 4 games, 1 to 2 of a task; each game counts, so some tasks count for more."
    ]


def test_the_shares_of_sources_add_up(derived: Path) -> None:
    shares = queries.query("vps_by_source", derived).group_by("team", "weight_mode").agg(pl.col("share").sum())
    assert shares["share"].to_list() == pytest.approx([1.0] * 4)


# Commands that read results beside tables, and what they are told where both are named.
BOTH_NAMED = (
    ["report", "--tables", "tables", "--results", "../other"],
    ["figures", "--tables", "tables", "--results", "../other"],
    ["site", "--tables", "tables", "--results", "../other", "--out", "site"],
)


@pytest.mark.slow
def test_results_of_other_tables_are_refused_and_those_beside_left_out(
    derived: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    shutil.copytree(derived, own / "tables")
    queries.write_query_results(own / "tables", own / "results")
    assert queries.other_results(own / "tables", own / "results") == ""
    table1 = pl.read_csv(own / "results/table1.csv")
    shutil.copytree(own / "results", other)
    table1.with_columns(excess_cost=pl.col("excess_cost") + 1).write_csv(other / "table1.csv")
    monkeypatch.chdir(own)
    for words in BOTH_NAMED:
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 2 and "of other tables" in done.output, done.output
    assert {path.name for path in own.iterdir()} == {"tables", "results"}
    assert folders_at_hand("tables", "") == (own / "tables", own / "results")
    with pytest.raises(ValueError, match="of other tables"):
        folders_at_hand("tables", str(other))
    shutil.copytree(other, own / "results", dirs_exist_ok=True)
    done = CliRunner().invoke(app, ["database", "--tables", "tables", "--out", "x.duckdb"])
    assert done.exit_code == 0 and "left out: results holds results of other tables" in " ".join(done.stderr.split())
    with duckdb.connect(own / "x.duckdb", read_only=True) as stored:
        assert stored.sql("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'results'").fetchall() == [
            ("table1",)
        ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["table1.csv", "humans.csv"])
def test_a_notebook_beside_results_of_other_tables_has_its_own_made(name: str, derived: Path, tmp_path: Path) -> None:
    shutil.copytree(derived, tmp_path / "tables")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / name).write_text("of other tables\n", encoding="utf-8")
    tables, results = folders_at_hand(str(tmp_path / "tables"), "")
    assert results != tmp_path / "results"
    assert queries.other_results(tables, results) == ""


def test_a_folder_without_tables_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match="derive them first"):
        queries.attach(tmp_path)
    assert no_tables(tmp_path).endswith(": derive them first (python -m pipeline derive TRACES --out DIR)")
    monkeypatch.chdir(tmp_path)
    for of_study in (STUDY, STUDY.resolve(), ROOT / STUDY / "../tables"):
        assert missing_tables(of_study).endswith(": run `make repro`")
    with pytest.raises(FileNotFoundError, match="run `make repro`"):
        queries.attach(STUDY)


ROUNDINGS = (
    (0.125, 2, "0.13"),
    (90.55555555555556, 2, "90.56"),
    (0.465 + 1e-16, 2, "0.47"),
    (-0.125, 2, "-0.13"),
)


@pytest.mark.parametrize(("value", "decimals", "expected"), ROUNDINGS)
def test_figures_are_rounded_half_up(value: float, decimals: int, expected: str) -> None:
    assert compare.round_half_up(value, decimals) == expected


def test_the_papers_figures_stand_beside_ours() -> None:
    table1 = pl.DataFrame(
        {
            **{"team": ["imap"], "setting": ["uniform"], "condition": ["standard"], "games": [36]},
            **{"excess_cost": [11 / 12], "vps_x": [4.3]},
        }
    )
    figures = [
        ("s", "uniform", "IMAP", "baseline", "excess_cost", "0.92", "2"),
        ("s", "uniform", "IMAP", "baseline", "vps_x", "4.25", "2"),
        ("s", "uniform", "SD-MAP", "baseline", "excess_cost", "1", "0"),
        ("s", "uniform", "Model", "model", "excess_cost", "1", "0"),
    ]
    names = ["source", "setting", "method", "kind", "metric", "value", "decimals"]
    compared = compare.compare(table1, pl.DataFrame(figures, schema=names, orient="row"))
    assert compared.select("team", "published", "ours", "equal").rows() == [
        ("imap", "0.92", "0.92", True),
        ("imap", "4.25", "4.30", False),
        ("sd", "1", None, None),
    ]
    assert compare.verdict(compared).startswith("1 of 2 figures equal")
    assert compare.as_rich_table(compared).row_count == 3


def test_a_part_of_the_suite_is_not_compared() -> None:
    names = ["source", "setting", "method", "kind", "metric", "value", "decimals"]
    figures = [
        ("section 3.3", "pooled", "suite", "setup", "tasks", "72", "0"),
        ("s", "uniform", "IMAP", "baseline", "excess_cost", "0.92", "2"),
    ]
    numbers = pl.DataFrame(figures, schema=names, orient="row")
    for games, equal in ((35, None), (36, True)):
        row = {"team": "imap", "setting": "uniform", "condition": "standard", "games": games, "excess_cost": 11 / 12}
        assert compare.compare(pl.DataFrame([row]), numbers)["equal"].to_list() == [equal]


SUITE_TASKS = sorted(compare.suite_tasks("uniform"))
SEEDS = dict(pl.read_csv(ROOT / PAPER_SUITE).select("task_id", "seed").iter_rows())


@pytest.mark.parametrize(
    ("tasks", "later", "whole"),
    [
        (SUITE_TASKS, 0, True),
        (SUITE_TASKS, None, True),
        (SUITE_TASKS, 1, False),
        (SUITE_TASKS[:12] * 3, 0, False),
        ([f"{task}_blocked2" for task in SUITE_TASKS], 0, True),
        ([*SUITE_TASKS, SUITE_TASKS[0]], 0, False),
        ([None], 0, False),
    ],
)
def test_only_games_of_the_paper_s_tasks_stand_beside_its_figures(
    tasks: list[str | None], later: int | None, whole: bool
) -> None:
    of = {"team": "imap", "condition": "standard", "setting": "uniform", "stopped": False}
    seeds = [None if later is None else SEEDS.get((task or "").partition("_blocked")[0], 0) + later for task in tasks]
    rows = [of | {"task_id": task, "seed": seed} for task, seed in zip(tasks, seeds, strict=True)]
    games = pl.DataFrame(rows, schema_overrides={"task_id": pl.String, "seed": pl.Int64})
    assert compare.of_suite(pl.DataFrame([of]), games).height == whole


KEPT = [name for name in RESULT_TABLES if (ROOT / f"data/results/{name}.csv").is_file()]  # large ones are not in git


@pytest.mark.parametrize("name", KEPT)
def test_results_have_the_columns_and_the_key_that_are_declared(name: str) -> None:
    declared, path = RESULT_TABLES[name], ROOT / f"data/results/{name}.csv"
    kept = pl.read_csv(path, schema_overrides=io.polars_schema(declared))
    assert tuple(kept.columns) == declared.names
    assert kept.select(declared.key).is_unique().all()


def test_a_mixed_team_s_results_are_told_by_member(tmp_path: Path) -> None:
    frames = {
        "games": [{"game_id": "g", "team": "mixed", "simulated": True, "setting": "varied", "condition": "standard"}],
        "agents": [
            {"game_id": "g", "agent": a, "agent_type": kind, "model": None, "nosy": nosy, "cost": cost}
            | {"excess_burden": cost - 1, "messages_sent": a}
            for a, (kind, nosy, cost) in enumerate(
                [("imap", False, 5), ("style", False, 1), ("style", False, 3), ("style", True, 7), ("style", False, 9)]
            )
        ],
        "agent_parameters": [
            {"game_id": "g", "agent": a, "parameter": "gossip", "value": v} for a, v in [(1, 0.1), (2, 0.9), (4, 0.1)]
        ],
        "pair_round_vps": [
            {"game_id": "g", "target_agent": t, "observer_agent": o, "vps_loss": loss, "weight_mode": mode}
            for t, o, loss, mode in [(1, 0, 2.0, "uniform"), (4, 0, 4.0, "uniform"), (4, 2, 90.0, "cost")]
        ],
    }
    for name, rows in frames.items():
        pl.DataFrame(rows).write_parquet(tmp_path / f"{name}.parquet")
    found = queries.query("members", tmp_path)
    columns = ("member", "variant", "nosy", "seats", "cost", "vps_given_mean", "vps_learnt_mean")
    assert found.select(columns).rows() == [
        ("imap", 1, False, 1, 5.0, None, 3.0),
        ("style", 1, False, 2, 5.0, 3.0, None),
        ("style", 1, True, 1, 7.0, None, None),
        ("style", 2, False, 1, 3.0, None, None),
    ]


def test_a_game_counts_for_its_team_whatever_both_are_called_and_a_move_where_costs_vary(tmp_path: Path) -> None:
    played = [("a", "g", "varied"), ("a", "h", "mixed"), ("a\x1fb", "i", "varied"), ("b", "a\x1fg", "varied")]
    frames = {
        "games": [
            {"team": team, "game_id": game, "setting": setting, "simulated": False, "condition": "standard"}
            for team, game, setting in played
        ],
        "stance": [
            {"game_id": game, "english_messages": 4, "acquiescing": 2, "pushing_back": 1, "both": 0}
            for _, game, _ in played
        ],
        "patterns": [{"game_id": game, "pattern": "qualitative_flattening", "strict": False} for _, game, _ in played],
    }
    for name, rows in frames.items():
        pl.DataFrame(rows).write_parquet(tmp_path / f"{name}.parquet")
    names = ("team", "games", "expensive_moves", "expensive_moves_per_varied_game")
    assert queries.query("stance", tmp_path).select(names).rows() == [
        ("a", 2, 1, 1.0),
        ("a\x1fb", 1, 1, 1.0),
        ("b", 1, 1, 1.0),
    ]
    assert by_game("stance", tmp_path).select("team", "game_id", *names[2:]).rows() == [
        ("a", "g", 1, 1.0),
        ("a", "h", 0, None),
        ("a\x1fb", "i", 1, 1.0),
        ("b", "a\x1fg", 1, 1.0),
    ]
