"""Every figure that the paper prints, with what became of it here."""
