"""All the optimal schedules of a task: what each agent pays in them, and how fair the fairest is."""
