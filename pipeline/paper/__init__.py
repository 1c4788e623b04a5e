"""The paper's printed figures and statements with ours beside them, and the stages of the study that reproduces it."""
