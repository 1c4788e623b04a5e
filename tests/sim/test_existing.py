"""What is where a run's traces go is replaced only where that loses nothing, or where somebody asks for it."""

import gzip
from codecs import BOM_UTF8

import msgspec
import pytest
from zstandard import decompress

from machine.errors import UserError
from machine.manifests import read_manifest, wholeness_problems
from sim.game.game import Limits
from sim.game.trace import Trace, encoded, packed, read, write
from sim.runs.existing import Job, differences, write_unless_worse
from sim.runs.play import Play, play_game
from sim.runs.run import alone, check_plays
from sim.runs.runner import jobs_for
from sim.runs.teams import load_team, named_teams
from tests.sim.stub import stub
from tests.sim.test_provider_runs import FREE, folder, run, traces
from tests.sim.worlds import tiny_task

__all__ = ["folder"]

pytestmark = [
    pytest.mark.usefixtures("planted_key"),
    pytest.mark.filterwarnings("ignore:Item 'summary' on TypedDict class 'ChatCompletionReasoningItem'"),
]

PAID = (
    "holds a finished game, of team stub on task tiny1, which a model has played (2 more of its files too): --resume "
    "keeps such games and plays the others, --overwrite plays all of them again\n"
)
OTHER = (
    "holds another game, of team stub on task tiny1 with other agents.parameters.max_tokens (2 more of its files too): "
    "name another folder; or --overwrite replaces what is there, and --resume --overwrite keeps"
)


def contents(folder):
    return {p.name: p.read_bytes() for p in (folder / "traces").rglob("*.zst") if p.is_file()}


# One row a run over three finished games of a model with 500 tokens: its words, its tokens, and why it is refused.
REFUSED = [((), 500, PAID), ((), 900, OTHER), (("--resume",), 900, OTHER)]


def test_paid_games_are_in_the_way_before_anything_is_asked(folder):
    with stub() as server:
        assert run(folder, server, max_tokens=500).exit_code == 0
        before, asked = contents(folder), server.requests
        for words, tokens, problem in REFUSED:
            result = run(folder, server, *words, max_tokens=tokens)
            assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
            assert problem in result.stderr and result.stderr.startswith(f"error: {folder}/traces/tiny1.json.zst ")
        assert server.requests == asked
    assert contents(folder) == before


def test_overwriting_replaces_paid_games_and_resuming_with_it_keeps_those_of_the_run(folder):
    with stub() as server:
        run(folder, server, max_tokens=500)
        assert run(folder, server, "--overwrite", "--limit", "2", max_tokens=900).stdout.startswith("2 games played; ")
        again = run(folder, server, "--resume", "--overwrite", max_tokens=900)
    assert again.stdout.startswith("1 games played, 2 were there already")
    assert {t.config["agents"][0]["parameters"]["max_tokens"] for t in traces(folder)} == {900}


def test_other_limits_of_the_calls_are_no_other_game_and_an_estimate_replaces_none(folder):
    with stub() as server:
        run(folder, server)
        result = run(folder, server, "--resume", "--workers", "2", timeout=99, prices=FREE)
        assert run(folder, server, "--dry-run", max_tokens=900).stdout.startswith("3 games to play")
    assert result.stdout.startswith("0 games played, 3 were there already")


def test_stopped_games_are_played_again_without_a_word_and_ended_ones_survive_a_bad_day(folder):
    with stub("500:0.02", stubborn=True) as server:
        run(folder, server, retries=0)
        assert 0 < sum(t.stopped for t in traces(folder)) < 3
        server.options = msgspec.structs.replace(server.options, faults=())
        assert run(folder, server, "--resume").exit_code == 0
        before = contents(folder)
    with stub("500:1", stubborn=True) as server:
        # At another address it is another game, asked for in vain.
        result = run(folder, server, "--overwrite", retries=0)
    assert result.exit_code == 4
    assert "3 of them left no trace: the one that was there had come further" in result.stderr
    assert contents(folder) == before


def test_the_very_same_games_without_a_provider_may_be_played_again(folder):
    from tests.sim.test_cli import sim

    words = ("run", "tasks.jsonl", "--team", "imap", "--out", "traces")
    sim(folder, *words)
    before = contents(folder)
    assert sim(folder, *words).exit_code == 0
    assert contents(folder) == before
    other = sim(folder, *words[:3], "sd", *words[4:])
    assert (other.exit_code, other.stderr.count("\n")) == (2, 1)
    assert "holds another game, of team imap on task tiny1 with other agents.type, team (2 more" in other.stderr
    assert contents(folder) == before


def test_a_game_is_found_by_a_run_of_more_teams_and_of_one(folder):
    from tests.sim.test_cli import sim

    one = ("run", "tasks.jsonl", "--team", "imap", "--out", "traces", "--resume")
    two = (*one, "--team", "sd", "--limit", "2")
    assert sim(folder, *one, "--limit", "1").exit_code == 0
    assert sim(folder, *two).stdout.startswith("3 games played, 1 were there already")
    assert sim(folder, *one).stdout.startswith("1 games played, 2 were there already")
    names = ["imap/tiny2", "sd/tiny1", "sd/tiny2", "tiny1", "tiny3"]
    assert sorted(p.relative_to(folder / "traces").as_posix() for p in (folder / "traces").rglob("*.zst")) == [
        f"{name}.json.zst" for name in names
    ]


def test_a_stopped_game_is_played_again_where_it_stopped_and_a_paid_one_is_in_the_way_of_more_teams(folder):
    with stub() as server:
        assert run(folder, server).exit_code == 0
        path = folder / "traces/tiny1.json.zst"
        write(stopped(read(path), 5), path)
        more = ("--team", "imap", "--limit", "1")
        assert run(folder, server, *more, "--resume").stdout.startswith("2 games played, 0 were there already")
        result = run(folder, server, *more)
    assert not read(path).stopped and not (folder / "traces/stub").exists()
    assert result.exit_code == 2 and f"{path} holds a finished game, of team stub on task tiny1, which" in result.stderr


# One row what else a pack of imap's games may hold, and how that is told.
OTHER_PACKS = [
    ([play_game(Play(tiny_task(1), load_team("sd")))], "holds a game of team sd on task tiny1, of another run: "),
    ([b"a list of mine\n"], "holds something else than traces: "),
]


def test_a_pack_of_another_run_is_in_the_way_and_the_same_run_may_replace_its_own(folder):
    from tests.sim.test_cli import sim

    words, pack = ("run", "tasks.jsonl", "--team", "imap", "--out", "p.jsonl.zst"), folder / "p.jsonl.zst"
    assert sim(folder, *words, "--limit", "2").exit_code == 0 and sim(folder, *words).exit_code == 0
    own = pack.read_bytes()
    for games, told in OTHER_PACKS:
        pack.write_bytes(own + b"".join(game if isinstance(game, bytes) else packed(game) for game in games))
        before = pack.read_bytes()
        result = sim(folder, *words)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1) and told in result.stderr
        assert pack.read_bytes() == before
    assert sim(folder, *words, "--overwrite").exit_code == 0 and pack.read_bytes() == own


def stopped(trace: Trace, events: int) -> Trace:
    """The trace as if it had stopped after so many events."""
    return msgspec.structs.replace(trace, stopped=True, stop_cause="it went away", events=trace.events[:events])


GAME = play_game(Play(tiny_task(1), load_team("imap")))
OTHERS = play_game(Play(tiny_task(2), load_team("imap")))

# One row a trace that stands there, one that comes, and whether it takes the place.
MEETINGS = [
    (GAME, GAME, True),
    (GAME, stopped(GAME, 40), False),
    (OTHERS, stopped(GAME, 40), False),
    (stopped(GAME, 40), stopped(GAME, 30), False),
    (stopped(GAME, 40), stopped(GAME, 40), True),
    (stopped(GAME, 30), stopped(GAME, 40), True),
    (stopped(GAME, 40), GAME, True),
    (stopped(OTHERS, 40), stopped(GAME, 30), True),
]


@pytest.mark.parametrize(("stands", "comes", "replaces"), MEETINGS)
def test_a_trace_that_stopped_replaces_none_that_is_worth_more(tmp_path, stands, comes, replaces):
    write(stands, tmp_path / "a.json.zst")
    assert write_unless_worse(comes, tmp_path / "a.json.zst") == replaces
    assert encoded(read(tmp_path / "a.json.zst")) == encoded(comes if replaces else stands)


@pytest.mark.parametrize("content", [b"", b"junk", b"{}"])
def test_a_stopped_trace_is_better_than_none(tmp_path, content):
    (tmp_path / "a.json.zst").write_bytes(content)
    assert write_unless_worse(stopped(GAME, 3), tmp_path / "a.json.zst")


OTHER_FORMS = {
    "unpacked": decompress,
    "gzip": lambda content: gzip.compress(decompress(content)),
    "with a byte order mark": lambda content: BOM_UTF8 + decompress(content),
}


@pytest.mark.parametrize("form", OTHER_FORMS.values(), ids=OTHER_FORMS)
def test_a_paid_game_in_another_packing_is_found(folder, form):
    with stub() as server:
        run(folder, server)
        path = folder / "traces/tiny1.json.zst"
        path.write_bytes(form(path.read_bytes()))
        before, asked = contents(folder), server.requests
        assert PAID in run(folder, server).stderr
        assert run(folder, server, "--resume").stdout.startswith("0 games played, 3 were there already")
        assert server.requests == asked and contents(folder) == before


@pytest.mark.parametrize(("suffix", "form"), [(".json", decompress), (".json.gz", OTHER_FORMS["gzip"])])
def test_a_paid_game_that_was_packed_under_another_name_is_found(folder, suffix, form):
    with stub() as server:
        run(folder, server)
        packed = folder / "traces/tiny1.json.zst"
        (folder / f"traces/tiny1{suffix}").write_bytes(form(packed.read_bytes()))
        packed.unlink()
        before, asked = contents(folder), server.requests
        assert PAID in run(folder, server).stderr
        assert run(folder, server, "--resume").stdout.startswith("0 games played, 3 were there already")
        assert server.requests == asked and contents(folder) == before
    listed = read_manifest(folder / "traces/run.manifest.json")
    assert set(listed.files) == {"tiny1" + suffix, "tiny2.json.zst", "tiny3.json.zst"}
    assert list(wholeness_problems(listed)) == []


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda path: path.write_bytes(b"mine"), "holds another game, or what is none: name another folder; or"),
        (lambda path: (path.unlink(), path.mkdir()), "is there and cannot be read (Is a directory): let it be read, "),
    ],
)
def test_what_cannot_be_read_as_a_trace_is_in_the_way(folder, spoil, told):
    with stub() as server:
        run(folder, server)
        spoil(folder / "traces/tiny1.json.zst")
        before, asked = contents(folder), server.requests
        result = run(folder, server, "--resume")
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1) and told in result.stderr
        assert "--overwrite replaces" in result.stderr
        assert server.requests == asked and contents(folder) == before


def test_of_two_runs_whose_folders_lie_in_one_another_the_second_ends(folder):
    play, out = Play(tiny_task(1), named_teams()["imap"]), folder / "traces"
    with alone(out, [Job(play, out / "imap/tiny1.json.zst")]):
        for place in (out / "imap", out):
            with pytest.raises(UserError, match="another run is writing there"), alone(place, []):
                pass
    assert not out.exists()


def test_files_of_others_in_the_folder_of_traces_survive_a_run(folder):
    from tests.sim.test_cli import sim

    mine = {f"traces/{name}": name.encode() for name in ("notes.txt", ".tiny1.json.zst.7.tmp", ".trial", "imap/a.csv")}
    for name, text in mine.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    for words in ((), ("--resume",), ("--overwrite",), ("--team", "sd")):
        assert sim(folder, "run", "tasks.jsonl", "--team", "imap", "--out", "traces", *words).exit_code == 0
    assert {name: (folder / name).read_bytes() for name in mine} == mine


def test_fields_in_which_games_differ_are_named_by_their_place():
    one, other = {"a": [{"b": 1}, {"b": 2}], "c": 1, "d": [1]}, {"a": [{"b": 1}, {"b": 3}], "d": [1, 2]}
    assert list(differences(one, other)) == ["a.b", "c", "d"]


# One row teams and tasks of which two are one file on a disk that does not tell apart cases, or composed letters.
ALIKE = [(("GPT", "gpt"), ("one",)), (("imap",), ("One", "one")), (("imap",), ("\u00e9", "e\u0301"))]


@pytest.mark.parametrize(("teams", "tasks"), ALIKE)
def test_names_that_some_disks_take_for_one_are_refused(tmp_path, teams, tasks):
    plays = [msgspec.structs.replace(load_team("imap"), team=name) for name in teams]
    asked = [msgspec.structs.replace(tiny_task(1), task_id=name) for name in tasks]
    with pytest.raises(UserError, match="one file where disks do not tell cases apart"):
        check_plays(jobs_for(asked, plays, Limits(), 1, tmp_path))
