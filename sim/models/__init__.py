"""A language model as an agent: what it is asked, who answers, and how its reply is read."""
