"""Processes of this machine: how many, which are alive, and how they begin and end."""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from machine.locks import let_go

# What a worker is called in the system's list of processes, where it can be set: 15 letters at most.
WORKER = "calbench-worker"

# What the system says where it allows no more processes or open files, and what to do.
TOO_MANY = (errno.EAGAIN, errno.EMFILE, errno.ENFILE)
FEWER = "use fewer --workers, or allow more processes and open files (ulimit -u, ulimit -n)"


def cores() -> int:
    """How many processes may run at once on this machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def may_fork() -> bool:
    """Whether a copy of this process would work, which saves half a second of imports: threads, as Polars starts,
    don't survive, nor does what reaches stores."""
    if "obstore" in sys.modules:
        return False
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


def end_with(parent: int) -> None:
    """Let this process end soon after its parent, however that ended: a killed run leaves nobody working.

    The parent says who it is: asked later, the system may name whoever took over the orphans of one that is dead.
    """
    let_go()
    with suppress(OSError):
        Path("/proc/self/comm").write_text(WORKER)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def alive(process: int) -> bool:
    """Whether a process of that number runs on this machine; one that ended, and of which nobody has asked how, does
    not."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return True
