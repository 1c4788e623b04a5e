"""The parts of README.md and docs/ that are built from results, declared tables and measurements."""
