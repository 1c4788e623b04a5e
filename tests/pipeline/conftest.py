"""One BLAS thread, as the Makefile has it: small matrices are slower, and on a busy machine far slower, with more."""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")
