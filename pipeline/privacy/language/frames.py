"""What is around words and numbers, as data: characters, numerals, quotations, what makes a number a slot, layout.

All but FOLDED, PLAIN, QUOTE, QUOTED_LINE and the layout are read on folded text.
"""

import re

APOSTROPHES = dict.fromkeys("’‘ʼ´′＇", "'")
DASHES = dict.fromkeys("‐‑‒–−", "-")
# A tick says yes to a slot and a cross no; as ^ and `, which otherwise fold to a space.
YES, NO = "\x01", "\x02"
TICKS = dict.fromkeys("✅✔☑✓🟢🟩🆗👍👌🙆🆓", YES) | dict.fromkeys("❌❎✖✗✘🚫⛔🔴🟥👎🙅💀🛑", NO)
FOLDED = {**APOSTROPHES, **DASHES, "—": "\x1e", "―": "\x1e", "…": ".", "？": "?", "\u2028": "\n", "\u2029": "\n"}
FOLDED |= {"•": "-", **TICKS}
UPPER = {chr(code): chr(code + 32) for code in range(ord("A"), ord("Z") + 1)}
BRACKETS = {"[": "(", "]": ")", "{": "(", "}": ")"}
MARKS = {**dict.fromkeys('^*_`~"<>\t\r', " "), **BRACKETS, YES: "^", NO: "`", "\x1e": "~"}
# Digits become 0: messages that differ in their numbers alone are parsed once.
PLAIN = {**UPPER, **MARKS, **dict.fromkeys("123456789", "0")}
ASCII = bytes(ord(PLAIN.get(chr(code), chr(code))) for code in range(256))
# All but digits becomes a space.
SPACED = bytes(code if chr(code) in "0123456789" else 32 for code in range(256))

# Numbers in words: "slot three" is slot 3, "Agents one and two" are Agents 1 and 2.
WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
VALUES = {word: str(value) for value, word in enumerate(WORDS)}
WORD = "(?:" + "|".join(sorted(WORDS, key=len, reverse=True)) + r")\b"

FOREIGN = re.compile(r"[^\x00-\x7f]")

# Only after "slot" or "agent", where no other reading is left, and in the list that follows. It starts at their last
# letter: a search for one letter skips fast to where it stands.
NUMERAL = re.compile(
    rf"t(?:(?<=slot)|(?<=agent))s? +{WORD}(?:(?:,|,? and|,? or| to| through|-|/) *(?:slots? +)?{WORD})*"
)
EACH = re.compile(WORD)
# Whether there is one: two words are quicker to search for than one letter.
SLOT_NUMERAL, AGENT_NUMERAL = re.compile(f"slots? +{WORD}"), re.compile(f"agents? +{WORD}")

# "0 errands" is none, which digits that are all read alike cannot tell.
ZERO = re.compile(
    r"0(?<![\w.,]0)(?<!slot 0)(?<!and 0)(?= (?:errand|meeting|conflict|move|item|commitment|displacement|cost|doubt|"
    r"problem|issue)s?\b)",
    re.IGNORECASE,
)

GLUED_ON = r"(?:is|are|and|ok|free|busy|works?|taken)(?!\w)"  # "slot 4is"
LETTERS = re.compile(r"[A-Za-z0'/#]+")
# A word; "s3", "a2" and "m1" without their number; a first person in quoted words, as `fold_quotes` marks it.
SPELT = re.compile(
    rf"(?<![\w.:])00?{GLUED_ON}|"
    r"(?<![\w'])(?:(?:[as]|(?:meetings? )?m)(?=#?00?(?![\w%]))|n/a(?!\w)|w/o?|(?:conf|prop)'d|[a-z]{2,}|"
    r"[qruwz](?!\w)|[yn](?= ?(?:[,;|)]|$|slots? ?0)|(?<!0 .) ?:)|[IWUOMTLY]\w*)|(?<=[a-z])T\w*"
    r"|#(?<!\w #)(?<![\w#]#)(?=00?(?![\w%])(?! (?:choice|pick|option|priority|best)))"
)
GLUED = ("am", "is", "are", "not")  # "amfree"
UNMARKED = re.compile(r"(?:is|are|was|were|do|does|did|ca|wo|would|could|should|have|has|had)nt")  # "isnt"


# What may stand between a feasibility word and the bare number that it anchors.
ANCHOR = re.compile(
    r"\b(?:at|in|on|during|do|make|take|are|is|be|either|neither|(?:none|all|any|each|one|both|either|"
    r"most) of|both|only|from|around|use|for|with)\s+#?$|@\s*$"
    r"|[:(=>]\s*(?:-\s*)?#?$|\s-\s*$"
)
FOR = re.compile(r"\bfor\s+$")
NOT_FOR = re.compile(r"work|good|fine|ok|great|perfect|suit|option")
VERB = re.compile(r"\s+(?:is|has|would|could|can|needs|requires|means|holds|contains|comes|sits|looks|will)\b")
# What may stand between a bare number and the class that it is the subject of.
VERBS = re.compile(
    r"[\s:(|=~>+-]*(?:(?:is|are|was|were|will|would|could|should|can|do|does|both|all|also|still|each|either|have|has|"
    r"be|being|seems?|looks?|sounds?|remains?|needs?|requires?|takes?|means?|with|already|now|currently|\w+ly|for me|"
    r"it|"
    r"down|an?|one|my|some|as|wide|fully|quite|very|so|too|pretty|totally|'s|'re)\s+)*[\s:(|=~>-]*"
)
# What may stand before such a number: the start of a clause, or one of these.
BEFORE = re.compile(
    r"\b(?:shows?|have|has|got|that|said|says|say|only|both|either|neither|of|but|and|or|so|as|afraid|sorry|sadly|"
    r"since|because|while|"
    r"whereas|"
    r"though|also|"
    r"then|confirmed|know|believe|mentioned|see|if|whether|is|are|does|do|would|will|could|can|keep|kept|list(?:s|"
    r"ed)?|mark(?:s|ed)?|flag(?:s|ged)?|named?|gave|reported|offered|keeps|leaves?|left|my|at|me|us|you|e\.g\.|i\.e\.|"
    r"namely|including|like)\s+$"
)
HELD = re.compile(
    r"\b(?:shows?|have|has|got|list(?:s|ed)?|mark(?:s|ed)?|flag(?:s|ged)?|named?|gave|reported|offered|keeps?|kept|"
    r"leaves?|left)\s+$"
)  # "3 and 8 free", but not "2 conflicts"
# What narrows "all" or "everything" to less than the calendar, and slots that it may be said of.
NARROWED = re.compile(
    r"\b(?:(?:of|all|any) (?:the|those|these)(?! (?:slots|calendar|day|schedule|time))|between|among|"
    r"(?<!exception )(?<!exceptions )of (?:slots? )?#?0+\b|(?:up|down|"
    r"in) there|"
    r"above|here|list(?:ed)?|options?|proposals?|(?:you|they|we|agent 0+) (?:\w+ly )?(?:sent|named|gave|offered|"
    r"suggested|proposed|mentioned|discussed))\b"
)

# What an exception is from, where it is not the calendar.
OF_SOME = re.compile(
    r"\b(?:that|those|these|they|it|this|yours?|them|'?em|ones)\b|(?<!agent )(?<!agents )(?<!meeting )\b0"
)
NOT_BY = re.compile(r"\s*(?:but |just |and )?not (?:for|by|with|to|on)\b")
STARTS = re.compile(r"\s*(?:[,:]|(?:i|we|agents?|my|there|nothing|everyone)\b)")
COUNTED = frozenset(("all", "other", "these", "those", "the", "every", "about", "least", "first", "last", "next"))


# How data and layout are written (records.py, layout.py).
AGENT_CELL = re.compile(r"\W*(?:agent|a)[\s_#-]*(\d{1,2})(?!\w)", re.I)
ME = re.compile(r"\W*(?:me|i|myself|mine|self|us|my (?:status|slots?|calendar|availability|side|end))\W*$", re.I)
AGENT_KEY = re.compile(
    r"(?:agents?(?: id| name)?|participant|attendee|invitee|person|who|name|from|sender|owner|target|of|about|source|"
    r"speaker|on behalf of|"
    r"(?:relay(?:ed|ing)?|forward(?:ed)?|fwd|sent|said|told|reported|quoted?|written) (?:from|by|for))$"
)
SLOT_KEY = re.compile(r"(?:(.*) )?(?:time )?slots?(?: ids?| numbers?| index| no)?$")
ASIDE_KEY = re.compile(
    r"(?:(?:for )?(?:(?:meeting|mtg)s?|errand(?= ))(?: ids?| number| no)?|(?:num(?:ber)?|count|total|how many)\b.*|"
    r".* count|round|id|phase|turn|to|recipients?|version|"
    r"count|total|priority|rank)$"
)
# Keys that say only that something is said.
PLAIN_KEY = re.compile(
    r"(?:(?:my )?(?:status|states?|type|kind|availability|calendar|schedule|slots?|notes?|comments?|message|"
    r"text|remarks?|reasons?|why|details?|data|info|relay|update|report|response|content|body|value|what|item|entry|"
    r"answer|verdict|quot(?:e|ed|ation)|words|said|verbatim|agents?|grid|times?|results?|summary|holds|there|))$"
)
CHOSEN_KEY = re.compile(
    r"accept|propos|suggest|confirm|choice|chosen|pick|prefer|settle|(?<!b)lock|final|agreed|decision|vote|best"
)
# A list of slots, each of which is called by its number.
OF_SLOTS_KEY = re.compile(r"(?:time )?slots?$|(?:my )?(?:calendar|schedule|availability)$")
ID_KEY = re.compile(r"(?i)(?:id|idx|index|number|num|no|n|time)$")
NAMES_SLOTS = re.compile(rf"{CHOSEN_KEY.pattern}|^{SLOT_KEY.pattern}")
SLOT_WORD = re.compile(r"\bs(?:l|lots?)?[\s_#]*(?=\d)|slots?[\s_#]*|[*`#]", re.I)
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
EDGES = " \t*`\"'|:?"
SLOT_CELL = re.compile(r"[\s*`]*(?:s(?:lots?)?[\s_#]*)?#?\d{1,3}(?:\s*(?:,|-|–|to|and|&)\s*#?\d{1,3})*[\s*`]*$", re.I)
COSTED = re.compile(r"\W*(\d+(?:\.\d+)?)\W*(?:units?|points?)?")
IN_WORDS = re.compile(r"[A-Za-z]{2}")
TRUE = re.compile(r"[\s*]*(?:true|yes|y|yep|probably|likely)[\s*]*$", re.I)
FALSE = re.compile(r"[\s*]*(?:false|no|n|nope|unlikely|doubtful)[\s*]*$", re.I)
EMPTY_CELL = re.compile(r"[\s*]*+(?:null|none|n/a|-+|—|–|\?)?[\s*]*$", re.I)
# What stands in a cell beside the slot of its row or column: "errand (5)", "busy 10".
AMOUNT = re.compile(r"(?<![\w#])(?<!meeting )(?<!agent )(?<!cost )(?<!costs )\d+(?!\w)", re.I)
PRICED = re.compile(r"(?<=[a-z]) ?\(\d{1,3}\)")
# Where JSON starts: with a key, or a list of objects.
JSON = re.compile(r"""\{\s*(?:["}]|[A-Za-z_]\w{0,30}\s*:)|\[\s*\{\s*\"""")
TOKEN = re.compile(
    r'\s*(?:"((?:[^"\\\n]|\\.)*)"|(-?\d+(?:\.\d+)?|(?i:true|false|null|none)|[A-Za-z_]\w{0,30}(?=\s*:))|([{}\[\],:]))'
)
# What is said of all slots, or of the rest: "free: all but 3", "default: busy", "all others | free".
ALL_OF = re.compile(
    r"\W*(?:(?:the |all )?(?:rest|(?:the )?others?|remaining)|everything else|all|any|every(?:thing)?|anything|always|"
    r"all day|(?:the )?(?:whole|entire) (?:day|calendar)|(?:all|any|"
    r"every) "
    r"slots?)(?:\W{1,3}(?:except(?:ing)?|but|excluding|other than|apart from|besides|save|minus|bar)(?: for)? ?:? ?"
    r"(?:slots? ?)?([\d ,&]+(?:and \d+)?))?\W*$",
    re.I,
)
REST_KEY = re.compile(
    r"(?:the )?(?:rest|remaining|remainder)(?: slots?)?$|(?:(?:all|any|every) ?)?(?:the )?others?(?: slots?)?$|"
    r"default$|"
    r"(?:every|any)thing else$|(?:all )?remaining(?: slots?)?$"
)
EXCEPT_KEY = re.compile(
    r"(?:except(?:ions?|ing)?|excluding|but(?: not)?|besides|apart from|other than)(?: for| slots?)?$"
)
# What was, where what is stands beside it.
ASKS = re.compile(
    r"\W*(?:requests?|quer(?:y|ies)|questions?|asks?|asking|[ei]nquir\w+|hypothe\w+|if|then|else|suppos\w+|examples?)"
    r"(?: \w+)?\W*$",
    re.I,
)
OLD_KEY = re.compile(r"(?:old|was|before|previous(?:ly)?|prior|former(?:ly)?|earlier)\b")
NEW_KEY = re.compile(r"(?:new|now|after(?:wards)?|current(?:ly)?|updated?|is)\b")
I_SAY = re.compile(r"(?=.* ).*\b(?:I|I'm|I've|I'd|I'll|my|me)\b", re.I)
A_MEETING = re.compile(r"[\s*(]*(?:(?:existing|holds?|in) )?(?:meeting|mtg|m) ?#?\d+[\s*)]*$", re.I)
THING = re.compile(r"errand|meeting|conflict|clash|move|cost|item|event|issue")
# What numbers count that are no slots: "Votes 0-3: ✅✅❌✅", "Agent order:" over rows.
OF_THINGS = re.compile(
    r"\b(?:votes?|voted|rounds?|agents|(?:by|per|of|each) agents?|agent (?:order|list)|meetings|(?:by|per) meeting|"
    r"to-?dos?|tasks?|steps?|questions?|points|scores?|progress|answered|replied|all done)\b|\bto do\b(?=\W*$)",
    re.I,
)
PICTURE_BULLET = (
    r"[\u25aa-\u25b8\U0001f464\U0001f465\U0001f4c5\U0001f4c6\U0001f4cc\U0001f4cd\U0001f449\U0001f536-\U0001f539"
    r"\U0001f550-\U0001f567\U0001f5d3]\ufe0f?"
)
BULLET = re.compile(rf"[ \t]*(?:>[ \t]?)*(?:\(?(?:\d{{1,2}}|[a-h])[.)]|[-*+•]|{PICTURE_BULLET})[ \t]")
NAMED = re.compile(r"\bagent\s*#?\d{1,2}", re.I)
OWN_NUMBER = re.compile(r"(?<!agent )(?<!agent)(?<!meeting )(?<!mtg )(?<![\d#])\d", re.I)

# "I can do both" speaks of two slots, "for both Agent 1 and me" does not.
BOTH_OF = re.compile(
    r"\b(?:do|make|take|manage|accept|have|at|in|for)\s+(?:both|either|neither)\b(?!\s+(?:agents?|of|me|you|i)\b)"
)
# Words that point back to a slot: "it", "then", "both". The same without a class say nothing.
BACK = re.compile(r"\b(?:it|it's|that|this|these|those|they|there|here|then|both|either|them|same|too|as well|also)\b")
# "Go ahead with slot 3, I'm free."
BARE = re.compile(
    r"\s*(?:i'm|i am|we're|we are)\s+(?:\w+ly\s+|all\s+|also\s+|still\s+)?"
    r"(?:free|available|open|busy|unavailable|booked)\s*"
)
# A number that was not read as a slot: what follows is said of it, not of the slots before.
OF_ANOTHER = re.compile(r"\s*#?0+(?:\s*-\s*0+)?\s+(?!of\b)[a-z]")
# "3, 5 (both free)", but "3, 5 (errand)" says it of 5 alone.
ALL = re.compile(r"\b(?:both|all|each)\b")
# "Nothing except 7 works": what is excepted has the class as it stands.
NOTHING = re.compile(r"\b(?:nothing|none|no|not|never|nobody)\b")
REPORTS = re.compile(
    r"\b(?:said|says|told|mentioned|mentions|confirmed|reports?|reported|according|per|indicated|noted|states?|wrote|"
    r"writes|texted|replied|answered|assured|assures)\b"
)
# "I've moved my errand from 3, so 3 is free", "3 is free now": it holds whatever stood there.
MOVED = re.compile(r"\b(?:moved|shifted|relocated|rescheduled|cleared|cancell?ed|dropped)\b")
MOVED_IT = re.compile(MOVED.pattern + r" (?:it|that)\b")
NOW = re.compile(r"\s*now\b")
NEWS = re.compile(r"\bnow\b|\b(?:opened|freed) up\b")
ACCEPTS = ("work", "suit", "fit")  # "works for me, let's do slot 4"
# A verb of saying whose subject stands before "and" or "but".
GOES_ON = re.compile(
    r"(?:and|but) \s*(?:(?:also|now|still|then|just|only|instead)\s+)?(?:said|says|told|asked|suggest(?:s|ed)|"
    r"propos(?:es|ed)|offer(?:s|ed)|prefers|wants|accept(?:s|ed)|declined|confirmed)\b"
)
# What goes on after an apposition in commas.
THIRD = re.compile(
    r"\s*(?:is|isn't|are|aren't|has|have|haven't|both|all|sa(?:ys|id))\b(?!\s+(?:slots?|you|it|that|we|0))"
)
# What joins two slots of one list.
GLUE = re.compile(
    r"[\s\-(]*(?:(?:and|or|also|as well|as|plus|maybe|even|too|possibly|at|in|on|for|slots?|either|both|#|me|then|"
    r"again|from|onwards?)\b"
    r"[\s-]*)*[\s)]*"
)
# "…, 7 is", "…, Agent 2 isn't", "… isn't either": the class is the one before, or its opposite.
IS_SO = re.compile(
    r"\s*(?:(?:still )?(?:is|are|does|do|can|will|would)(?: now| still| again| though)?|too|as well|also)\s*$"
)
IT_IS_NOT = re.compile(
    r"\b(?:it|that|this|they|i|we|now|agents?\s*#?0+|(?<=and )0+)(?:'m\s+not|'?s\s+not|"
    r"\s+(?:(?:is|does|will|would|can|am|are|do)\s+not|cannot|"
    r"(?:is|does|wo|would|ca|are|do)n't))(?:\s+(?:any ?more|any longer|now|either))?\s*$|"
    r"\bagents?\s*#?0+\s+not\s*$"
)
# "…, I can": not so of the one before.
IT_IS = re.compile(
    r"\s*(?:both\s+)?(?:i|we|agents?\s*#?0+)(?:(?:\s*,|\s+and|\s*&)\s*(?:i|agents?\s*#?0+|0+))*"
    r"(?:\s+(?:both\s+)?(?:is|are|am|do|does|can|could|will|would)|'m)(?:\s+(?:both|though|however))?\W*$"
)
# What was so, and is not now: "4 was taken but has come free".
PAST = re.compile(r"\b(?:was|were|used to|had)\b")
JUST = re.compile(
    r"\s*(?:(?:and|also|just|only|but|at least|both|even|too|again|probably|likely)\s+)*"
)  # "…, but only for me"
IT = re.compile(r"\bit(?:'\w+)?\b")
EVERY_SLOT = re.compile(
    r"(?:(?:.*,|for me|i think|well|ok|yes|but|and)\s+)?\s*(?:(?:any|every)thing|(?:all|every|any)(?: of)?(?: the|"
    r" my)? slots?),?\s*"
)
ALL_BUT = re.compile(r"(?:any|every|all)")  # "anything but slot 3"
AMONG = re.compile(r"\s*(?:(?:out )?of|among|between|from)\s+(?:the\s+)?(?:slots?|#?0)")
ENDS_LIST = re.compile(r"(?!\s*(?:maybe|possibly|perhaps)\s*$)(?:\s*for meeting\s*#?0+)?" + GLUE.pattern)
AGREES = re.compile(r"\b(?:either|too|as well)\b")
# "I have Meeting 1 at slot 3, Meeting 2 at slot 5."
MEETING_AT = re.compile(r"\s*meeting\s+#?0+\s+(?:is\s+)?(?:at|in|on)\s+(?:slots?\b|#?0)")
# "Not at 5, only at slot 7."
ONLY = re.compile(r"\s*(?:but\s+)?only\s+(?:at\s+|in\s+|on\s+|for\s+)?(?:slots?\b|#?0)")
# "… is free at 5, Agent 3 at 6": the same of another.
GAPPED = re.compile(r"\s*agents?\s*#?0+\s+(?:only\s+)?(?:(?:at|for|in|on|only|just|merely|solely)\s+)(?:slots?\b|#?0)")

# "From Agent 3 I know that …", "word from Agent 3: …": the news are Agent 3's.
HEARD = re.compile(r"\s+(?:\w+\s+)?(?:heard?|know|learn\w*|understand|understood|gather\w*|got|had|have)\b")
NEWS_FROM = re.compile(
    r"(?:^\s*|[,;:]\s*)(?:\w+\s+)?(?:word|news|message|update|reply|answer|note|info|relay|"
    r"forwarded)\s+(?:\w+\s+)?from\b|^\s*from\b(?=\s+agents?\s*#?0+\s*:)"
)
SUITS_ME = re.compile(r"\s(?:me|us)\b")
FINE = re.compile(
    r"\b(?:fine|ok|okay|good|cool|great|alright|agreeable|perfect|(?:un)?acceptable|convenient|suitable|open|closed)$"
)
VOTE = re.compile(r"\b(?:yes|no|go|nod|approval|blessing|consent)$")  # "a no from Agent 2"
MINE = re.compile(r"\b(?:me|my|mine)\b")
PRONOUN = re.compile(r"\b(?:it|that|which|this|there)\b")
HOLDS = re.compile(
    r"(?:'\w++)?\s*+(?:(?:\w+ly|also|still|do|don't|can|could|will|would|both|all|just|too|to|happy|am|is|are)\s+)*"
    r"(?:have|has|had|got|keep|kept|make|get|mark|leave|offer|find|see)\b"
)
