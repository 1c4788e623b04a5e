import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.calendar import Batch, BatchConflict, Calendar, Errand, Move, ScheduledMeeting, item_id, validate
from tests.sim.worlds import calendar, errand_id, reschedule, schedule, written

BOARD = calendar(". 3 x2 M7(0,1)=4 .")
NINE = ScheduledMeeting(9, 1, (0, 1))
ERRAND, BLOCKED = errand_id(0, 1), errand_id(0, 2)

# One row a broken rule of Appendix D.5: the batch, and the conflict that its agent is told.
BROKEN = [
    # 1 slot bounds
    ([schedule(9, 5)], "slot must be an integer from 0 to 4, got 5."),
    ([schedule(9, -1)], "slot must be an integer from 0 to 4, got -1."),
    ([schedule(9, "0")], "slot must be an integer from 0 to 4, got '0'."),
    ([{"type": "schedule", "meeting_id": 9}], "slot must be an integer from 0 to 4, got None."),
    ([reschedule(ERRAND, -4, 0), schedule(9, 4)], "from_slot must be an integer from 0 to 4, got -4."),
    ([reschedule(ERRAND, 1, 5), schedule(9, 4)], "to_slot must be an integer from 0 to 4, got 5."),
    # 2 item identity
    ([reschedule(99, 1, 0), schedule(9, 4)], "Item 99 is not at slot 1: it holds Errand #1 (cost=3)."),
    ([reschedule(True, 1, 0), schedule(9, 4)], "Item True is not at slot 1: it holds Errand #1 (cost=3)."),
    (
        [reschedule(1, 3, 0), schedule(9, 4)],
        "Item 1 is not at slot 3: it holds Meeting M7 (cost=4) participants=[0, 1].",
    ),
    ([reschedule(1, 0, 4), schedule(9, 0)], "Slot 0 is free: there is no item to move."),
    # 3 no blocked moves
    ([reschedule(BLOCKED, 2, 0), schedule(9, 2)], "Errand #2 at slot 2 is blocked and can't be moved."),
    # 4 no destination conflicts
    ([reschedule(1, 1, 0), reschedule(7, 3, 0), schedule(9, 1)], "Two actions target slot 0."),
    ([reschedule(1, 1, 0), reschedule(1, 1, 4), schedule(9, 1)], "Two actions move the item at slot 1."),
    # 5 freeness after the batch
    ([reschedule(1, 1, 3), schedule(9, 1)], "Target slot 3 is not free after the batch."),
    ([reschedule(1, 1, 1), schedule(9, 0)], "Target slot 1 is not free after the batch."),
    # 6 exactly one schedule
    ([], "Expected exactly 1 schedule action, got 0."),
    ([schedule(9, 0), schedule(9, 4)], "Expected exactly 1 schedule action, got 2."),
    ([schedule(8, 0)], "Only meeting 9 can be scheduled now, got 8."),
    # 7 schedule slot free
    ([schedule(9, 1)], "Schedule slot 1 is not free after the batch."),
    ([reschedule(1, 1, 0), schedule(9, 0)], "Schedule slot 0 is not free after the batch."),
    # no batch at all
    (None, "The batch must be a list of action objects."),
    ([schedule(9, 0), "and so on"], "The batch must be a list of action objects."),
    ([{"type": "dm", "to": 1}], "Unknown action type 'dm': only schedule and reschedule are valid here."),
]


@pytest.mark.parametrize(("actions", "conflict"), BROKEN)
def test_a_batch_that_breaks_a_rule_says_which(actions, conflict):
    with pytest.raises(BatchConflict) as raised:
        validate(BOARD, actions, NINE)
    assert str(raised.value) == conflict


# One row a valid batch: its actions, the calendar it leaves, and what the agent pays.
VALID = [
    ([schedule(9, 0)], "M9(0,1) 3 x2 M7(0,1)=4 .", 0),
    ([reschedule(1, 1, 4), schedule(9, 1)], ". M9(0,1) x2 M7(0,1)=4 3", 3),
    ([reschedule(7, 3, 0), schedule(9, 3)], "M7(0,1)=4 3 x2 M9(0,1) .", 4),
    ([reschedule(1, 1, 3), reschedule(7, 3, 1), schedule(9, 0)], "M9(0,1) M7(0,1)=4 x2 3 .", 7),
]


@pytest.mark.parametrize(("actions", "after", "cost"), VALID)
def test_a_valid_batch_moves_everything_at_once(actions, after, cost):
    batch = validate(BOARD, actions, NINE)
    assert written(batch.calendar) == after
    assert batch.cost == cost
    assert batch.calendar.slot_of_meeting(9) == batch.slot


def test_a_voluntary_batch_may_move_but_not_schedule():
    assert validate(BOARD, [], None) == Batch(BOARD, (), None)
    assert validate(BOARD, [reschedule(1, 1, 0)], None).moves == (Move(1, 1, 0, 3),)
    with pytest.raises(BatchConflict, match=r"^Expected exactly 0 schedule actions, got 1\.$"):
        validate(BOARD, [schedule(9, 0)], None)


def test_a_calendar_renders_as_the_paper_shows_it():
    board = Calendar([None, Errand(3, 2), Errand(7, 5, True), ScheduledMeeting(2, 1, (0, 2))])
    assert board.render.split("\n") == [
        "Slot 0: [FREE]",
        "Slot 1: Errand #3 (cost=2)",
        "Slot 2: Blocked Errand #7 (cost=5)",
        "Slot 3: Meeting M2 (cost=1) participants=[0, 2]",
    ]


def test_rendered_slots_are_aligned_to_the_largest():
    lines = Calendar([None] * 3 + [Errand(7, 100)] + [None] * 7).render.split("\n")
    assert lines[3] == "Slot  3: Errand #7 (cost=100)"
    assert lines[10] == "Slot 10: [FREE]"
    assert Calendar([None] * 101).render.startswith("Slot   0: [FREE]")


@pytest.mark.parametrize(
    ("text", "slot", "movable"), [(". 3", 1, True), ("2 3", 1, False), (". x3", 1, False), (". M1(0,1)", 1, False)]
)
def test_only_an_errand_with_a_free_slot_elsewhere_is_movable(text, slot, movable):
    assert calendar(text).movable(slot) is movable


TOKENS = st.sampled_from([".", ".", "1", "100", "x5", "M7(0,1)=4"])
SLOTS = st.integers(-1, 6)
IDS = st.sampled_from([0, 1, 2, 3, 4, 5, 7, 9, 100])
JUNK = st.one_of(st.none(), st.booleans(), st.text(max_size=3), st.floats(), st.lists(st.integers(), max_size=2))
MOVES = st.builds(reschedule, IDS, SLOTS, SLOTS)
SCHEDULES = st.builds(schedule, st.sampled_from([9, 9, 9, 7]), SLOTS)


@st.composite
def boards(draw):
    tokens = draw(st.lists(TOKENS, min_size=1, max_size=6))
    first = tokens.index("M7(0,1)=4") if "M7(0,1)=4" in tokens else -1
    return calendar(" ".join("1" if t.startswith("M") and s != first else t for s, t in enumerate(tokens)))


def lawful(board, actions, meeting):
    """Whether well-typed actions keep all seven rules, read off Appendix D.5."""
    moves = [a for a in actions if a["type"] == "reschedule"]
    writes = [a for a in actions if a["type"] == "schedule"]
    inside = [s for a in moves for s in (a["from_slot"], a["to_slot"])] + [a["slot"] for a in writes]
    if not all(0 <= s < len(board) for s in inside) or len(writes) != 1 or writes[0]["meeting_id"] != meeting:
        return False
    if any(board[a["from_slot"]] is None or item_id(board[a["from_slot"]]) != a["item_id"] for a in moves):
        return False
    if any(isinstance(i := board[a["from_slot"]], Errand) and i.blocked for a in moves):
        return False
    sources, targets = [a["from_slot"] for a in moves], [a["to_slot"] for a in moves]
    if len(set(sources)) < len(sources) or len(set(targets)) < len(targets):
        return False
    if any(a["from_slot"] == a["to_slot"] for a in moves):
        return False
    taken = {s for s in range(len(board)) if board[s] is not None and s not in sources}
    return not taken & set(targets) and writes[0]["slot"] not in taken | set(targets)


@given(boards(), st.lists(MOVES, max_size=3), st.lists(SCHEDULES, min_size=1, max_size=1))
def test_a_batch_passes_just_when_it_keeps_the_seven_rules(board, moves, writes):
    actions = [*moves, *writes]
    try:
        validate(board, actions, NINE)
    except BatchConflict:
        assert not lawful(board, actions, 9)
    else:
        assert lawful(board, actions, 9)


@st.composite
def lawful_batches(draw):
    """A calendar, and moves of some of its items to distinct slots that are free or left by another."""
    board = draw(boards())
    sources = [s for s, i in enumerate(board.slots) if i and not (isinstance(i, Errand) and i.blocked)]
    moving = draw(st.lists(st.sampled_from(sources), unique=True)) if sources else []
    targets = draw(st.permutations([*board.free, *moving]))
    return board, [reschedule(item_id(board[s]), s, t) for s, t in zip(moving, targets, strict=False) if s != t]


@given(lawful_batches())
def test_moves_conserve_items_and_cost_what_the_moved_items_cost(drawn):
    board, moves = drawn
    try:
        batch = validate(board, moves, None)
    except BatchConflict as conflict:
        assert "is not free after the batch" in str(conflict)  # a target whose own item was not to move after all
        return
    assert sorted(map(repr, batch.calendar.slots)) == sorted(map(repr, board.slots))
    assert batch.cost == sum(board[m["from_slot"]].cost for m in moves)
    assert all(batch.calendar[m["to_slot"]] is board[m["from_slot"]] for m in moves)


@given(boards(), st.lists(st.one_of(MOVES, SCHEDULES, st.dictionaries(st.sampled_from(["type", "slot"]), JUNK))), JUNK)
def test_whatever_is_sent_a_batch_applies_whole_or_changes_nothing(board, actions, junk):
    before = board.slots
    for batch in (actions, junk, [*actions, junk]):
        try:
            after = validate(board, batch, NINE).calendar
        except BatchConflict:
            continue
        assert sorted(map(repr, [*before, NINE])) == sorted(map(repr, [*after.slots, None]))
    assert board.slots == before
