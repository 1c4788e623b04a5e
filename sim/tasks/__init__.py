"""What is played: scenarios from seeds, their optima, lists, selection, blocked calendars and labels."""
