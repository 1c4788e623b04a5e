"""A language model as an agent: what it is asked, and how its reply is read."""
