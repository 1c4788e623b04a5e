"""What simulated speakers meant, beside what was found in their words."""
