"""The tables of the second reader: its claims, how far it agrees with the parser, what could not be used."""

from pipeline.tables.schemas.table import EVENT_INDEX, GAME_ID, SPAN_END, SPAN_START, TARGET, C, Table

JUDGE = C("judge", "str", "the model that read; simulated-… is none")
CLAIM_INDEX = C("claim_index", "int", "the claim's place among those of its message, from 0")

JUDGE_EVIDENCE = Table(
    "judge_evidence",
    "one claim that the judge found in a message, whoever receives it",
    ("game_id", "event_index", "claim_index"),
    (
        GAME_ID,
        EVENT_INDEX,
        TARGET,
        C("slot", "int", "the slot, within the calendar"),
        C("source", "str", "the language rule"),
        C("evidence", "float", "e in [0, 1], by the parser's rules: 1 feasible, 0 not"),
        C("strength", "float", "s in [0, 1] of b ← (1 − s)·b + s·e, by the parser's rules"),
        C("matched_clause", "str", "the words it rests on: content[span_start:span_end]"),
        SPAN_START,
        SPAN_END,
        CLAIM_INDEX,
        JUDGE,
    ),
)

JUDGE_AGREEMENT = Table(
    "judge_agreement",
    "one class of claims; pooled is all classes together, any is whether anything is claimed",
    ("class",),
    (
        C("class", "str", "occupied, negative, positive, cost, proposal, pooled or any"),
        C("n", "int", "units: a target's slot in a message (docs/language.md); of pooled, units times classes"),
        C("both", "int", "units of which parser and judge make such a claim"),
        C("parser_only", "int", "units of which the parser alone does"),
        C("judge_only", "int", "units of which the judge alone does"),
        C("neither", "int", "units of which neither does"),
        C("observed_agreement", "float", "(both + neither) / n"),
        C("kappa", "float", "Cohen's kappa; empty where both say the same of every unit, or nothing"),
        C("kappa_low", "float", "lower end of its 95 % interval over games; empty below two games"),
        C("kappa_high", "float", "upper end"),
        C("messages", "int", "messages whose reply could be read"),
        C("games", "int", "games with such a message"),
        JUDGE,
        C("simulated", "bool", "whether the judge is simulated: then the figures prove the path and nothing else"),
        C("prompt", "str", "name and version of the judge's prompt"),
        C("prompt_sha256", "str", "SHA-256 of its text"),
    ),
)

JUDGE_REJECTED = Table(
    "judge_rejected",
    "one thing in the judge's reply to a message that could not be used",
    ("game_id", "event_index", "place"),
    (
        GAME_ID,
        EVENT_INDEX,
        C(
            "place",
            "int",
            "the claim's place in the reply, from 0; -1 for the whole reply: it counts as unread",
        ),
        C("reason", "str", "what is wrong; `unlocated` begins that of a quote that the message does not hold"),
        C("reply", "str", "how the reply begins"),
        JUDGE,
    ),
)

JUDGE_TABLES = (JUDGE_EVIDENCE, JUDGE_AGREEMENT, JUDGE_REJECTED)
