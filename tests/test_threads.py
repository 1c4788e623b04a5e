"""One BLAS thread, wherever a program of ours starts: not the Makefile alone may see to it."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
COUNT = """
import os, sys
import {module}
import numpy
numpy.ones((600, 600)) @ numpy.ones((600, 600))
print(len(os.listdir("/proc/self/task")))
"""


def threads(module: str, **environment: str) -> int:
    """How many threads a process has that has imported the module and multiplied matrices, Polars' left out."""
    bare = {name: value for name, value in os.environ.items() if name not in THREADS}
    bare |= {"POLARS_MAX_THREADS": "1", **environment}
    command = [sys.executable, "-c", COUNT.format(module=module)]
    return int(subprocess.run(command, env=bare, capture_output=True, text=True, check=True, timeout=300).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted by Linux")
def test_a_process_of_ours_multiplies_matrices_on_one_thread() -> None:
    module = "pipeline.statistics.mixed_effects"
    one = threads(module, **dict.fromkeys(THREADS, "1"))
    assert threads(module) == one < threads(module, **dict.fromkeys(THREADS, "4"))
