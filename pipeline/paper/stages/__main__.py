"""The study, with how far it is: `python -m pipeline.paper.stages [DVC.YAML]` runs `dvc repro` on it."""

import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from pipeline.tables.paths import BEYOND_DIGESTS, DATABASE
from pipeline.tables.stamp import digests_path, drop_digests

STUDY = "dvc.yaml"
STAGE = re.compile(r"(?:Running stage|Stage) '(?:[^']*:)?([^':]+)'(.*)")
# What DVC says of its own work, of remote storage, which the study does not need, and of notebooks that draw nothing.
ASIDE = re.compile(
    r"\s*$|Updating lock file|Generating lock file|WARNING: '.*' is empty|To track the changes|\s+git add "
    r"|To enable auto staging|\s+dvc config core\.autostage|Use `dvc push`|> python -m |Data and pipelines are up"
)
GO_ON = "run the same command again: stages that ended are kept"


def main(file: str = STUDY) -> int:
    """Run the stages of a dvc.yaml and those that they need; DVC's exit code."""
    for digests in (digests_path(DATABASE), BEYOND_DIGESTS):
        drop_digests(DATABASE, digests)
    process = subprocess.Popen(["dvc", "repro", file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout
    try:
        for line in progress(process.stdout, stages({STUDY, file})):
            print(line, flush=True)
        code = process.wait()
    except KeyboardInterrupt:
        process.wait()
        code = 130
    if code:
        print(f"not finished; {GO_ON}", file=sys.stderr)
    return code


def stages(files: Iterable[str]) -> int:
    """The number of stages, one for each entry of a matrix."""
    import yaml

    listed = [s for file in files for s in yaml.safe_load(Path(file).read_text(encoding="utf-8"))["stages"].values()]
    return sum(len(next(iter(stage["matrix"].values()))) if "matrix" in stage else 1 for stage in listed)


def progress(lines: Iterable[str], total: int) -> Iterator[str]:
    """What DVC and the stages print, with a stage's number and the time since the start in front of its name."""
    begun, number, ran = time.monotonic(), 0, 0
    for line in lines:
        stage = STAGE.match(line)
        if stage:
            number += 1
            if "skipping" not in stage[2]:
                ran += 1
                minutes, seconds = divmod(round(time.monotonic() - begun), 60)
                yield f"stage {number} of {total}, {minutes}:{seconds:02} min: {stage[1]}"
        elif not ASIDE.match(line):
            yield f"  {line.rstrip()}"
    yield f"{ran} of {total} stages ran, {number - ran} had nothing new to do"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
