"""Traces out of logs of Inspect, whose samples hold one game each (sim/runs/inspect_task.py)."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from pipeline.traces import limits
from pipeline.traces.trace import TraceError

SUFFIX = ".eval"
# Where a sample keeps its game's trace.
TRACE = "calbench_trace"


def read_log(path: Path) -> Iterator[tuple[str, bytes | TraceError]]:
    """(sample and epoch, JSON text of its trace or why there is none) of each sample of a log.

    Raises TraceError where the file is no log, holds more than a file may, or Inspect is not installed.
    """
    try:
        if not path.is_file():
            raise TraceError("cannot be opened: not a regular file", "file")
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > limits.FILE_BYTES:
            raise TraceError(
                f"larger than the {limits.FILE_BYTES} bytes that a file may have when it is unpacked", "file"
            )
        from inspect_ai.log import read_eval_log_samples

        samples = list(read_eval_log_samples(path.as_posix(), all_samples_required=False, resolve_attachments=True))
    except ModuleNotFoundError as error:
        raise TraceError("a log of Inspect; install calbench-lab[inspect] to read it", "file") from error
    except TraceError:
        raise
    except Exception as error:  # whatever Inspect raises over a file, it is no log then
        raise TraceError(f"no log of Inspect that can be read: {type(error).__name__}", "file") from error
    for sample in samples:
        name, trace = f"{sample.id}.{sample.epoch}", sample.store.get(TRACE)
        if trace is None:
            yield name, TraceError("the sample holds no game; it was not finished, or is another task's", "store")
        else:
            yield name, msgspec.json.encode(trace)
