"""What is said beside the slots: leaked labels, behaviours, stance, and how much is written."""
