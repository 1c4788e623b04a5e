"""The pipeline is imported before anything loads NumPy, so that it has one BLAS thread."""

import pipeline  # noqa: F401
