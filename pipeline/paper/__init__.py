"""The paper's own figures: by name, and set beside each other."""
