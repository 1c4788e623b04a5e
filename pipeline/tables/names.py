"""Names that tables hold and others read: the paper's protocols as it prints them, and typed protocols."""

# Team → the method's name in the paper.
PAPER_PROTOCOLS = {"imap": "IMAP", "sd": "SD-MAP", "dsm-welfare": "DSM-Welfare", "dsm-private": "DSM-Private"}

# All protocols whose messages are known, by the key that names the kind of a message: {"imap": "costs", …}.
TYPED_PROTOCOLS = ("imap", "sd", "dsm", "poll", "dpop", "secure")
