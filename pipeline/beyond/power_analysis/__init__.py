"""How many games are enough: to tell two teams apart, and to keep the ranking of all."""
