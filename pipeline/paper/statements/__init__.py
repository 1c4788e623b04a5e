"""What the paper says, checked against its own printed figures: a function each, in `confirmed` or in `denied`."""
