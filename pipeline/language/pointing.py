"""How a part of a sentence leans on the one before it: pronouns, words left out, and what is news."""

import re

# Words that point back to a slot: "it", "then", "both". The same without a class say nothing.
BACK = re.compile(r"\b(?:it|it's|that|this|these|those|they|there|here|then|both|either|them|same|too|as well|also)\b")
# What joins two slots of one list.
GLUE = re.compile(
    r"[\s\-(]*(?:(?:and|or|also|as well|as|plus|maybe|even|too|possibly|at|in|on|for|slots?|either|both|#|me|then)\b"
    r"[\s-]*)*[\s)]*"
)
# "…, 7 is", "…, Agent 2 isn't", "… isn't either": the class is the one before, or its opposite.
IS_SO = re.compile(r"\s*(?:is|are|does|do|can|will|would)\s*$")
IT_IS_NOT = re.compile(
    r"\b(?:it|that|this|they|i|we|agents?\s*#?0+)(?:'m\s+not|\s+(?:(?:is|does|will|would|can|am|are|do)\s+not|cannot|"
    r"(?:is|does|wo|would|ca|are|do)n't))\s*$"
)
AGREES = re.compile(r"\b(?:either|too|as well)\b")
# "Go ahead with slot 3, I'm free."
BARE = re.compile(
    r"\s*(?:i'm|i am|we're|we are)\s+(?:\w+ly\s+|all\s+|also\s+|still\s+)?"
    r"(?:free|available|open|busy|unavailable|booked)\s*"
)
# A number that was not read as a slot: what follows is said of it, not of the slots before.
OF_ANOTHER = re.compile(r"\s*#?0+(?:\s*-\s*0+)?\s+(?!of\b)[a-z]")
# "I have Meeting 1 at slot 3, Meeting 2 at slot 5."
MEETING_AT = re.compile(r"\s*meeting\s+#?m?0+\s+(?:is\s+)?(?:at|in|on)\s+(?:slots?\b|#?0)")
# "3, 5 (both free)", but "3, 5 (errand)" says it of 5 alone.
ALL = re.compile(r"\s*(?:both|all|each)\b")
# "Not at 5, only at slot 7."
ONLY = re.compile(r"\s*(?:but\s+)?only\s+(?:at\s+|in\s+|on\s+|for\s+)?(?:slots?\b|#?0)")
# "Nothing except 7 works": what is excepted has the class as it stands.
NOTHING = re.compile(r"\b(?:nothing|none|no|not|never|nobody)\b")
# "… is free at 5, Agent 3 at 6": the same of another.
GAPPED = re.compile(r"\s*agents?\s*#?0+\s+(?:at|for|in|on)\s+(?:slots?\b|#?0)")
# "I can do both" speaks of two slots, "for both Agent 1 and me" does not.
PAIR = re.compile(
    r"\b(?:do|make|take|manage|accept|have|at|in|for)\s+(?:both|either|neither)\b(?!\s+(?:agents?|of|me|you|i)\b)"
)
REPORTS = re.compile(
    r"\b(?:said|says|told|mentioned|mentions|confirmed|reports?|reported|according|per|indicated|noted|states?|wrote|"
    r"writes|texted|replied|answered|assured|assures)\b"
)
# "I've moved my errand from 3, so 3 is free", "3 is free now": it holds whatever stood there.
MOVED = re.compile(r"\b(?:moved|shifted|relocated|rescheduled|cleared|cancell?ed|dropped)\b")
NEWS = re.compile(r"\bnow\b")
