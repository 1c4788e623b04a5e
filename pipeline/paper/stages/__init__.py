"""The stages of the study, one module each: it reads, calls pure functions and writes, in the project's folder."""
