"""Tables to claims with uncertainty: intervals, paired tests, mixed effects, robustness, and checks of the metrics."""
