"""A local server that speaks the protocol of model providers: for trials, load, and misbehaviour."""
