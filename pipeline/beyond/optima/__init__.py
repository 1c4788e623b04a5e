"""All the optima of a task: what each asks of whom, and how fair the fairest is."""
