"""What messages show beside slots: leaked labels, the twelve patterns, stance, volume."""
