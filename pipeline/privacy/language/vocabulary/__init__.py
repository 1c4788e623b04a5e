"""The words of H.3's five classes, as data; grammar.py has what stands around them.

Phrases are regular expressions over folded text (lower case, straight quotes, every digit a 0), spelled as STEMS and
SHORT say. A space stands for any run of spaces; {adv}, {not}, {slot} and the like for what PATTERNS says. Of a
message's phrases only those that share a clause with a slot count, and of two that start at one place the one that
KINDS has first.
"""

from collections.abc import Mapping

Phrases = tuple[str, ...]

# Numbers before these count something, and are no slots.
UNITS = (
    "am|pm|a\\.m|p\\.m|o'?clock|percent|of|agents?|people|persons?|participants?|parties|slots?|options?|"
    "errands?(?! ?#?0|(?<=errand) ?(?:$|[,;/|(]))|"
    "meetings?|items?|times|rounds?|turns?|hours?|hrs?|minutes?|mins?|days?|weeks?|points?|units?|moves|choices?|"
    "others?|more|other|me|messages?|things?|commitments?|appointments?|calendars?|possible|remaining|different|"
    "participating|candidates?|"
    "alternatives?|windows?|openings?|attendees?|members?|colleagues?|repl(?:y|ies)|answers?|requests?|questions?|"
    "votes?|proposals?|gaps?|"
    "(?:free|open|available|busy|blocked) (?:slots?|options?|windows?|ones|meetings?|errands?|rounds?|"
    "agents?|requests?|questions?)"
)
NUMBER = rf"00{{0,2}}(?![\w%]|[.:]0|,000| ?-?(?:{UNITS})\b| for slots?\b)"

PATTERNS: Mapping[str, str] = {
    "{adv}": (
        r"(?:(?:(?!hard|bare|scarce|hope|presum|conceiv)\w+ly|also|still|already|just|now|even|quite|very|so|too|all|"
        r"both|each|either|pretty|well|indeed|then|always|often|currently|a|an|that|really|more|much|equally|wide|"
        r"100%|the) ){0,3}"
    ),
    "{slot}": r"(?:slots?\b|#?0)",
    "{label}": r"(?= ?[:=] ?\(?(?:slots? )?#?0)",
    "{agent}": r"agents? ?#?00?",
    "{unless_for_us}": r"(?! (?:slots? ?#?0+ )?{adv}for (?:us|this|our|meeting|it)\b)",
    "{noun}": r"(?:errands?|appointments?|commitments?|engagements?|obligations?)",
    "{not}": (
        r"(?:not|cannot|never|neither|(?:is|are|was|were|do|does|did|has|have|had|wo|would|should|ca|could|need)n'?t)"
    ),
    # What is there, what moving it is, what stands in its way, and what that takes.
    "{item}": r"(?:{noun}|meetings?|items?|events?|tasks?|entry|entries|bookings?|plans?|stuff)",
    "{move}": (
        r"(?:mov(?:e[ds]?|ing)|(?:re-?(?:schedul|shuffl|arrang|locat|organi[sz]|jig)|displac|shuffl|shift|juggl|bump|"
        r"swap|dislodg|postpon|cancel|disrupt|disturb|uproot)\w*(?! costs?))"
    ),
    "{clash}": (
        r"(?:problem|issue|trouble|bother|obstacle|reservation|qualm|hitch|snag|hurdle|barrier|difficult(?:y|ie)|"
        r"conflict|impediment|hindrance|drawback|constraint|objection|clash(?:e)?|overlap|hesitation|complication|"
        r"concern|reason|hassle|effort|inconvenience)s?"
    ),
    "{burden}": (
        r"(?:costs?|impact|effort|inconvenience|hassle|bother|trouble|fuss|pain|nuisance|burden|sacrifice|loss|"
        r"imposition|drama|ado|priority|stakes|importance|friction|price|matter|thing|favou?r)"
    ),
    "{change}": r"(?:changes?|moves?|adjustments?|shuffles?|movement|disruptions?)",
    # That there is none of it, that there is little, and that it must be.
    "{none}": (
        r"(?:no|zero|nil|sans|minus|without(?: so much as)?|not (?:any|one|a single)|nary an?|n't any|"
        r"free(?<!not free)(?<!n't free) (?:of|from)|clear of|avoid(?<!can't avoid)(?<!cannot avoid)(?:s|"
        r"ing)?|(?:sav|spar)(?:es?|ing)(?: (?:me|us))?|never mind|"
        r"nothing(?: there| on it)?(?: (?:that )?{adv}(?:(?:would |will )?(?:needs?|has|have|requires?) )?to(?: be)?)?)"
    ),
    "{few}": (
        r"(?:minimal(?:ly)?|minimum|low(?:er|est)?|little|small|slight(?:ly)?|minor|mild|tiny|modest|trivial|"
        r"negligible|limited|"
        r"reasonable|least|less|hardly|barely|scarcely|(?:almost|next to|not much|not) (?:no|of an?|an?)|light)"
    ),
    "{be}": r"(?:is|are|was|were|be|am|'s|'re|'m|looks?|sounds?|seems?|appears?|stays?|remains?|proves?|shows?|feels?)",
    "{can}": r"(?:can|could|will|'ll)",
    "{have}": r"(?:have|has|had|'ve|got|holds?|hosts?|there is|there's)",
    "{at}": r"(?= (?:at|in|on|for|during|to)\b)",
    "{able}": r"(?:feasible|viable|suitable|manageable|achievable|doable|usable|workable)",
    "{thing}": r"(?:anything|it|this|that|things?|us|(?:the|our|a) meeting|meeting 0+)",
    "{decided}": r"(?:confirmed|taken|booked|done|settled|locked|agreed|fixed|final(?:ised|ized)?|ours)",
    "{set}": r"(?:scheduled|booked|planned|marked|going on|happening)",
    # What one does with a slot that one can have.
    "{do}": (
        r"(?:do|make(?! room| space)|take|use|meet|join|come|attend|accept|manage|accommodate|handle|fit|swing|commit|"
        r"support|host|offer|agree to|go (?:along )?with|get there)"
    ),
    "{need}": (
        r"(?:need|requir|oblig|forc|mean|involv|entail|demand|caus|call for|ha(?:ve|s|d|ving) to|must|tak(?:e|ing)|"
        r"necessitat|trigger|result in|got to|gotta|mak(?:e|es|ing)(?= {whom} )|ask(?:s|ing)?(?= {whom} ))\w*"
    ),
    "{whom}": r"(?:me|us|them|him|her|any(?:one|body)|someone|{agent})",
    # Words between such a word and its noun.
    "{mods}": (
        r"(?:(?!luck|way|chance|because|since|due|good|much|great|undue|with|for|on|at|in|and|or|but|problem|{item})"
        r"[\w'-]+ ){0,3}?"
    ),
    "{it}": (
        r"(?: (?:to |of |for )?(?:anything(?: at all| else)?|(?:a (?:single )?)?things?|it|them|"
        r"(?!{placed}){mods}{item}))?"
    ),
    # What is in the way and cannot be moved, where no errand is named.
    "{duty}": r"(?:an?|another|some|my) (?:[\w-]+ ){0,2}(?:commitment|engagement|obligation)s?",
    # An item of one's own that is said to be somewhere: "my errand at 3".
    "{placed}": r"(?:my|the|our|an?) (?:[\w-]+ )?{noun} (?:at|in|on|from) {slot}",
    "{agents}": (
        r"(?:agents[ #]*0{1,2}\b(?: ?, ?(?:and |or |& ?)?0{1,2}\b| ?[&/+] ?0{1,2}\b| (?:and|or|nor) 0{1,2}\b)*"
        r"|agent[ #-]*0{1,2}(?!\w)(?: ?[&/] ?0{1,2}\b| (?:and|or) 0{1,2}"
        r"(?= (?:are|have|both|can|could|were|do|said)\b))?)(?:'s?(?!\w))?"
    ),
    # The last number of a list is none of it where a verb takes only that number for its subject.
    "{list}": (
        r"(?:(?: ?, ?(?:(?:and/or|and also|and|plus|then|also) )?| ?& ?| (?:and also|and|an|n|plus|as well as) ){again}"
        rf"(?:{NUMBER}(?! {{singular}})|slot ?(?:#|number)? ?{NUMBER}(?! {{singular}}| {{plural}}| exc| not{{end}}))"
        r"|(?: ?, ?(?:or|nor) | but also | ?(?:[/+~]|-+) ?| (?:and/or|or even|or|nor|thru|through|until|till|up to|"
        r"to) ){again}"
        rf"(?:slots? ?(?:#|number)? ?)?{NUMBER})*"
    ),
    "{end}": r" ?(?:$|[,;]|either)",
    "{again}": r"(?:(?:also|either|even|at|in|for|both) ){0,2}",
    "{singular}": (
        r"(?:is|isn't|was|has|hasn't|works|conflicts|costs|requires|needs|remains|does|doesn't|won't|looks|sounds|"
        r"seems|fits|suits|holds|makes|presents|poses|creates|clashes|overlaps|finds|brings|involves|means|(?:free|"
        r"open|available|busy|blocked|taken|errand|ok)(?= ?$| ?[,;|)]))\b"
    ),
    "{plural}": r"(?:are|aren't|were|would|will|can|can't|cannot|could|might|should|have|look|seem|work|don't)\b",
}

# Stems of the commonest words: what is one slip of the keys away from one is read as it.
STEMS = (
    *("slot", "free", "busy", "open", "work", "book", "taken", "agent", "block", "errand", "prefer", "propos", "cant"),
    *("meeting", "suggest", "confirm", "conflict", "available", "reschedul", "unavailable", "anything", "doesnt"),
    *("except", "nothing", "clear", "possible"),
)
ENDINGS = ("", "s", "e", "ed", "ing", "al", "able")
SHORT = {
    **{"appt": "appointment", "conf": "confirmed", "pls": "please", "u": "you", "im": "i'm", "poss": "possible"},
    **{"s": "slot ", "a": "agent ", "ag": "agent", "m": "meeting ", "meeting m": "meeting ", "meetings m": "meetings "},
    **{"n/a": "unavailable", "w/": "with", "w/o": "without", "nope": "no", "nah": "no", "n": "no", "y": "yes"},
    **{
        "pref": "prefer",
        "sl": "slot",
        "agt": "agent",
        "opn": "open",
        "#": "slot ",
        "yep": "yes",
        "yea": "yes",
        "yeah": "yes",
        "sez": "says",
    },
    **{"wfm": "works for me", "dnw": "doesn't work", "av": "available", "ive": "i've", "thats": "that's", "z": "zero"},
    **{"r": "are", "aswell": "as well", "err": "errand", "exc": "except", "excl": "except", "dnt": "don't"},
    **{"theyd": "they'd", "theyre": "they're", "youre": "you're", "cn": "can", "cd": "could", "wd": "would"},
    **{"conf'd": "confirmed", "prop'd": "proposed", "prop": "propose", "avl": "available", "unavl": "unavailable"},
    **{"resch": "reschedule", "sug": "suggest", "sugg": "suggest", "alt": "fallback", "prob": "probably"},
    **{"dwfm": "doesn't work for me", "nada": "nothing", "bc": "because", "cuz": "because", "req": "requires"},
    **{"occ": "occupied", "hv": "have", "lmk": "let me know", "gd": "good", "gud": "good", "wud": "would"},
    **{"idk": "don't know", "np": "no problem", "cann": "can", "til": "until", "q": "for", "bf": "before"},
    **{"w": "with", "everythings": "everything's"},
}
# Commoner words of which two letters may have changed places, or of five letters one be left out.
COMMON = (
    *("and", "can", "the", "for", "have", "cost", "said", "with", "that", "from", "does", "only", "also", "good"),
    *("fine", "but", "not", "at", "is", "it", "to", "could", "would", "works", "say", "empty", "instead", "neither"),
    *("after", "until", "then", "both", "make", "take", "able", "suits", "still", "great", "better", "easy"),
)
SLIPS = {word[:i] + word[i + 1] + word[i] + word[i + 2 :]: word for word in COMMON for i in range(len(word) - 1)}
SLIPS |= {word[:i] + word[i + 1 :]: word for word in COMMON if len(word) > 4 for i in range(1, len(word))}
REAL_SLIPS = frozenset(("form", "ta", "ont", "cold", "wold", "work", "suit", "till", "bale", "sits"))
SHORT |= {slip: word for slip, word in SLIPS.items() if slip not in (*COMMON, *REAL_SLIPS)}
# What a word without vowels may be short for: "blkd", "tkn".
FULL = (*COMMON, *(f"{stem}{ending}" for stem in STEMS for ending in ("", "s", "ed")))
REAL = frozenset(("possibly", "tks", "thx", "conform", "works", "refer", "expect", "accept"))
# What a first person in quoted words is: who is quoted.
QUOTED = {
    **{"I": "they", "W": "they", "U": "them", "O": "their", "M": "their", "T": " they:", "Me": "them"},
    **{"Mine": "theirs", "L": "they propose", "Y": "you", "Yy": "your", "Yur": "your"},
}
