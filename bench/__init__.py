"""How fast the project is: `python -m bench`, which needs nothing outside it (docs/benchmarks.md)."""
