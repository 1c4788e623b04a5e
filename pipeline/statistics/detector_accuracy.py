"""How accurate the detectors of evidence, leaks and patterns are: on what simulated speakers meant, and on gold sets.

`python -m pipeline.statistics.detector_accuracy FILE` prints how a gold set is read, by kind and author.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import yaml
from numpy.typing import NDArray

from pipeline.behaviour.leaks import CueIndex, KnownLabel, disclosed_labels, prepare_label
from pipeline.behaviour.tables import JOINS_TEMPLATES
from pipeline.privacy.beliefs import ratio
from pipeline.privacy.language.messages import language_claims
from pipeline.privacy.rules import RULES
from pipeline.statistics.resampling import Resampling, game_draws, percentiles

Measures = Mapping[str, tuple[str, str]]  # measure → the columns that count for it and against it
Draws = NDArray[np.float64]  # numbers of draws are whole, but products of floats are many times as fast

OF_INTENTS: Measures = {"precision": ("hits", "false_alarms"), "recall": ("hits", "misses")}
PART = ["finder", "part", "held_out"]
DRAWS_AT_ONCE = 100  # of tens of thousands of wordings


def precision_and_recall(truth: pl.DataFrame, resampling: Resampling) -> pl.DataFrame:
    """One row a detector (`finder`), part and kind of phrasing (`held_out`): counts, precision and recall, intervals.

    truth: the table of that name. precision = hits / (hits + false alarms), recall = hits / (hits + misses) over all
    games. Games of the same speakers repeat the same templates, so templates are drawn anew, as many as there are; a
    message counts as often as all that it is written from together, the product of their numbers. That is on the wide
    side (Owen, "The pigeonhole bootstrap", 2007). `templates`: on how many the row rests.
    """
    counts = truth.group_by(*PART, "wording").agg(pl.col("hits", "false_alarms", "misses").sum())
    own = counts.with_columns(template=pl.col("wording").str.split(JOINS_TEMPLATES)).explode("template")
    templates = own.group_by(PART).agg(templates=pl.col("template").n_unique().cast(pl.Int64))
    table = shares(counts, PART, "wording", OF_INTENTS, _template_draws, resampling)
    few = pl.col("templates") < 2
    bounds = [
        pl.when(~few).then(pl.col(f"{m}_{end}")).alias(f"{m}_{end}") for m in OF_INTENTS for end in ("low", "high")
    ]
    columns = [name if name != "wordings" else "templates" for name in table.columns]
    return table.join(templates, on=PART, maintain_order="left").with_columns(bounds).select(columns)


def _template_draws(wordings: Sequence[str], resampling: Resampling) -> Iterator[Draws]:
    """How often each wording counts, in blocks of draws: the product of its templates' numbers. Draws × wordings."""
    split = [list(dict.fromkeys(wording.split(JOINS_TEMPLATES))) for wording in wordings]
    number = {template: i for i, template in enumerate(sorted({name for names in split for name in names}))}
    flat = np.array([number[name] for names in split for name in names], dtype=np.int64)
    firsts = np.cumsum([0, *(len(names) for names in split)])[:-1]
    times = game_draws(len(number), resampling).astype(np.float64)
    for block in np.array_split(times, max(1, len(times) // DRAWS_AT_ONCE)):
        yield np.multiply.reduceat(block[:, flat], firsts, axis=1) if len(flat) else block


def shares(
    counts: pl.DataFrame,
    part: list[str],
    cluster: str,
    measures: Measures,
    draw: Callable[[Sequence[str], Resampling], Iterable[Draws]],
    resampling: Resampling,
) -> pl.DataFrame:
    """One row a part (its key): how many clusters there are in all, the counts, and each measure with its interval.

    counts: columns `part`, `cluster` and those that the measures name. A measure is the share of what counts for it,
    null where nothing counts. draw: how often each cluster counts in each draw, in blocks of draws × clusters. An
    interval holds the draws in which the share exists, and is null where fewer than two clusters have any counts.
    """
    names = list(dict.fromkeys(name for pair in measures.values() for name in pair))
    clusters = sorted(counts[cluster].unique())
    totals = counts.group_by(part).agg(pl.col(names).sum()).sort(part)
    keys = totals.select(part).rows()
    own = [_by_cluster(counts, dict(zip(part, key, strict=True)), cluster, clusters, names) for key in keys]
    drawn = np.vstack([block @ np.hstack(own) for block in draw(clusters, resampling)]).T if own else np.zeros((0, 0))
    rows = []
    for counted, times in zip(own, np.split(drawn, max(1, len(own))), strict=False):
        sums = dict(zip(names, times, strict=True)) if np.count_nonzero(counted.any(axis=1)) > 1 else {}
        rows.append([bound for pair in measures.values() for bound in _interval(sums, *pair, resampling.level)])
    bounds = pl.DataFrame(rows, [f"{m}_{end}" for m in measures for end in ("low", "high")], orient="row")
    of = (ratio(pl.col(yes), pl.col(yes) + pl.col(no)).alias(m) for m, (yes, no) in measures.items())
    estimates = totals.with_columns(pl.lit(len(clusters), pl.Int64).alias(f"{cluster}s"), *of)
    columns = [f"{m}{end}" for m in measures for end in ("", "_low", "_high")]
    return estimates.hstack(bounds.cast(pl.Float64)).select(*part, f"{cluster}s", *names, *columns)


def _by_cluster(
    counts: pl.DataFrame, part: Mapping[str, object], cluster: str, clusters: Sequence[object], names: Sequence[str]
) -> Draws:
    """A part's counts, clusters × names."""
    is_part = pl.all_horizontal(pl.col(name).eq_missing(pl.lit(value)) for name, value in part.items())
    sums = counts.filter(is_part).group_by(cluster).agg(pl.col(names).sum())
    every = pl.DataFrame({cluster: clusters}, {cluster: counts.schema[cluster]})
    return (
        every.join(sums, on=cluster, how="left", maintain_order="left")
        .select(pl.col(names).fill_null(0).cast(pl.Float64))
        .to_numpy()
    )


def _interval(drawn: Mapping[str, Draws], yes: str, no: str, level: float) -> tuple[float | None, float | None]:
    """Low and high of a share among the draws that have one."""
    if not drawn:
        return None, None
    among = drawn[yes] + drawn[no]
    among_those = among > 0
    if not among_those.any():
        return None, None
    low, high = percentiles(drawn[yes][among_those] / among[among_those], level)
    return float(low), float(high)


Row = tuple[int, int, str]  # target, slot, class
Entry = Mapping[str, Any]

# Measure → what counts for it and against it. By H.3 a message is read wrongly where it claims what no careful reader
# finds; what only a reader finds (`more`) is missed in the second recall alone.
OF_MESSAGES: Measures = {
    "precision": ("hits", "false_alarms"),
    "recall of H.3": ("fixed", "fixed_misses"),
    "recall of a reader": ("hits", "misses"),
    "silent kept silent": ("silent", "spoken"),
}
OF_LEAKS: Measures = {
    "precision": ("hits", "false_alarms"),
    "recall": ("hits", "misses"),
    "nothing found where nothing is": ("silent", "spoken"),
}


def read_gold(path: Path) -> list[Entry]:
    """The entries of a gold set, in its order."""
    # The C library reads thousands of lines in a tenth of the time.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    entries: list[Entry] = yaml.load(path.read_text(encoding="utf-8"), loader)
    return entries


def rows_of(written: Iterable[str]) -> set[Row]:
    """ "3 1,5 positive" is two rows; a clause may follow a bar."""
    claims = (text.partition(" | ")[0].split() for text in written)
    return {(int(target), int(slot), claim_class) for target, slots, claim_class in claims for slot in slots.split(",")}


def claimed(entry: Entry) -> set[Row]:
    """What the parser reads in an entry's message."""
    claims = language_claims(entry["message"], entry["sender"], RULES["paper"], entry.get("slots"))
    return {(c[0], c[1] or 0, c[2].removeprefix("language_")) for c in claims}


def disclosed(entry: Entry) -> set[str]:
    """The labels that the finder sees disclosed in an entry's message."""
    known = [KnownLabel("errand", i, text, None, 0, prepare_label(text, ())) for i, text in enumerate(entry["labels"])]
    cues = CueIndex(cue for label in known for cue in label.prepared.cues).cues_in(entry["message"])
    return {leak.known.label for leak in disclosed_labels(entry["message"], cues, 0, known)}


def counted(entry: Entry) -> dict[str, Any]:
    """An entry's counts, with its kind and author where it names them."""
    if "labels" in entry:
        counts = _counts(disclosed(entry), set(entry["found"]))
    else:
        fixed, got = rows_of(entry["rows"]), claimed(entry)
        counts = _counts(got, fixed | rows_of(entry.get("more") or ()))
        counts |= {"fixed": len(got & fixed), "fixed_misses": len(fixed - got)}
    return {"kind": entry.get("kind", ""), "author": entry.get("author", ""), **counts}


def _counts(got: Set[object], true: Set[object]) -> dict[str, int]:
    silent = not true
    return {
        "hits": len(got & true),
        "false_alarms": len(got - true),
        "misses": len(true - got),
        "silent": int(silent and not got),
        "spoken": int(silent and bool(got)),
    }


def gold_accuracy(entries: Sequence[Entry], resampling: Resampling = Resampling()) -> pl.DataFrame:
    """One row for all entries, each kind and each author: counts, and the measures with intervals over authors.

    Of one author there is no interval, and none of a set that names no authors.
    """
    measures = OF_LEAKS if "labels" in entries[0] else OF_MESSAGES
    counts = pl.DataFrame([counted(entry) for entry in entries])
    whole = counts.with_columns(part=pl.lit("all"))
    by = [
        counts.with_columns(part=pl.format(f"{name}: {{}}", name)).filter(pl.col(name) != "")
        for name in ("kind", "author")
    ]
    return shares(pl.concat([whole, *by]), ["part"], "author", measures, _author_draws, resampling)


def _author_draws(authors: Sequence[str], resampling: Resampling) -> Iterator[Draws]:
    yield game_draws(len(authors), resampling).astype(np.float64)


def printed(accuracy: pl.DataFrame, measures: Measures) -> Iterator[str]:
    """The rows of `gold_accuracy` as lines: each share, its interval, and of how many it is."""
    width = max(map(len, accuracy["part"])) + 2
    yield " " * width + "".join(f"{name:28s}" for name in measures)
    for row in accuracy.iter_rows(named=True):
        yield f"{row['part']:{width}s}" + "".join(f"{_share(row, name, *of):28s}" for name, of in measures.items())


def _share(row: Mapping[str, Any], measure: str, yes: str, no: str) -> str:
    low, high, share = (row[f"{measure}{end}"] for end in ("_low", "_high", ""))
    bounds = "" if low is None else f" [{low:.3f}, {high:.3f}]"
    return "–" if share is None else f"{share:.3f}{bounds} of {row[yes] + row[no]}"


def main(*paths: str) -> int:
    """Print how the gold set at a path is read; 2 where there is none that can be read."""
    try:
        (path,) = paths
        entries = read_gold(Path(path))
        lines = list(printed(gold_accuracy(entries), OF_LEAKS if "labels" in entries[0] else OF_MESSAGES))
    except (OSError, LookupError, TypeError, ValueError, AttributeError, yaml.YAMLError) as error:
        named, problem = " ".join(paths) or "no file", " ".join(str(error).split())
        print(f"{named}: no gold set ({problem}); give one file like data/gold/*.yaml", file=sys.stderr)
        return 2
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
