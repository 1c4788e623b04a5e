"""Where excess cost comes from: games replayed with one shortcoming after the other put back."""
