"""What a message's literal content says of its sender's slots: likelihoods, slot by slot, in one place.

- `states`: the private state of one slot, and vectors over its values: likelihoods and priors.
- `kinds`: a handler for each kind of message of the paper's protocols (`LIKELIHOODS`).
- `frontier`: the same for kinds of further protocols (`FRONTIER`).
- `said`: any typed message to what it says, by those handlers.

A likelihood is literal: it is what the message's words say, not what one could conclude from a sender's silence, from
the order of a list, or from who was asked first.
"""
