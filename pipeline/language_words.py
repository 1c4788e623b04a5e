"""The words of the English parser, as data: what makes a clause one of H.3's five classes, and what does not.

Phrases are regular expressions over folded text (lower case, straight quotes, every digit a 0). A space stands for any
run of spaces; {adv}, {noun}, {not} and the like for what PATTERNS in language_grammar.py says. Of a message's phrases
only those that share a clause with a slot count.
"""

from collections.abc import Mapping

Phrases = tuple[str, ...]

# Five classes, in the order in which they decide.
CLASSES: Mapping[str, Phrases] = {
    # The slot holds something, or something would have to be moved out of it.
    "occupied": (
        r"{noun}(?: ?#? ?0+(?: ?(?:,|and|&) ?#? ?0+)*)?",
        r"(?:in|another|existing|prior|previous|earlier|conflicting|standing|recurring|my|their|her|"
        r"his) (?:\w+ )?meetings?",
        r"(?:have|has|had|'ve|got|is|'s|there's|hosts?|holds?) {adv}(?:got )?(?:a|an|one|my|"
        r"another) (?:[\w-]+ ){0,2}meeting",
        r"(?:have|has|had|'ve|hosts?|holds?) {adv}(?:got )?meeting m?0+",
        r"meeting #?m?0+ (?:is|sits|falls|stands) {adv}(?:scheduled |placed |sitting )?(?:at|in|on)",
        r"(?:my|an|the|their|another|existing|prior|some) (?:[\w-]+ ){0,2}(?:items?|entry|entries|events?|tasks?)",
        r"(?:something|things?|stuff|anything) {adv}(?:else )?(?:scheduled|booked|planned|on|at(?! all)|in|there|"
        r"going on|during|for)",
        r"(?:have|has|had|'ve|got|there is|there's) {adv}something",
        r"(?:have|has|had|need|needs|require[sd]?|requiring|oblige[sd]?|forces?|means?|involves?|entails?|by|after|"
        r"if i|if we) (?:(?:me|us|them) )?(?:(?:would|could|can|were) )?{adv}(?:to )?{adv}(?:mov(?:e|ing|ed)|"
        r"shift(?:ing|ed)?|displac\w+|relocat\w+|rearrang\w+|juggl\w+|bump(?:ing)?|clear(?:ing)?|swap(?:ping)?)",
        r"(?:need|require|mean|involve|take|cost)s? {adv}(?:some |one )?(?:moves?|shuffl\w+|rearrang\w+)|reschedul\w*",
        r"displac\w+|relocat\w+|rearrang\w+|reshuffl\w+|shuffl(?:e|ing)",
        r"(?:mov(?:e|es|ed|ing)|shift(?:s|ed|ing)?|push(?:es|ed|ing)?) (?:my|our|an?|the|that|this|their|his|her|"
        r"something|things|everything|stuff|one|meeting m?0+)",
        r"free(?:ing)? (?:it |that |this |slots? 0+ |0+ )?up|clear(?:ing)? (?:it|that|this|out|my|the|slots?|0+|up)",
        r"(?:can|could) {adv}clear|(?:can|could|will|'ll|to) {adv}free (?=slots?|0|it|that|this)",
        r"(?:have|has|had|got|prior|existing|other|'ve) {adv}(?:other |prior |existing )?plans",
        r"(?:would|will|'d) {adv}(?:displace|bump|disrupt|shift|move|dislodge)|vacat(?:e|ing)|make (?:room|space)",
        r"open(?:ing)? (?:it |that )?up|occupied|pre-?occupied",
    ),
    # The slot is out of the question.
    "negative": (
        r"busy|block(?:s|ed|ing)?|hard-?blocked|double-?booked|overbooked|booked|taken|packed|tied up|swamped",
        r"unavailab\w+|in use|conflict(?:s|ed|ing)?|clash(?:es|ing|ed)?|overlaps? with|overlaps|collid(?:e|es)",
        r"collision",
        r"(?:am|'m|is|'s|are|'re|be|completely|fully|totally|already|calendar|schedule) {adv}(?:full|committed(?! to)|"
        r"engaged|spoken for|dead)",
        r"can'?t|cannot|can not|couldn'?t|could not|unable|(?:not|isn't|wasn't|'m not|aren't) {adv}able",
        r"(?:won't|will not) {adv}be able|infeasible|unfeasible|impossible|unworkable|unsuitable|immovable|unmovable",
        r"immoveable|non-?negotiable|undoable|{not} {adv}(?:be )?(?:movable|moveable|moved)|no[- ]?go|non-?starters?",
        r"deal-?breaker|no can do|off (?:the|my) (?:table|list|limits)|off[- ]?limits",
        r"out of (?:the )?(?:question|reach|play|consideration)|rul(?:e|ed|es|ing) (?:it |that |this |them )?out",
        r"(?:is|are|'s|'re) {adv}out(?! of)|out for|(?:count|strike) (?:out|me out)",
        r"no (?:availability|room|opening|openings|capacity|longer an option)|lack(?:s|ing)? (?:availability|space)",
        r"not an option|no good",
        r"{not} {adv}(?:be )?(?:good|fine|okay|ok|acceptable|suitable|convenient|doable|manageable|achievable|"
        r"realistic|possible|options?|on)",
        r"out(?<=0 out)(?! of)|an? (?:\w+ )?no(?= (?:for|from|on)| ?$)|declin(?:e|ed|es|ing)|reject(?:s|ed|ing)?|fixed",
        r"unfree|non-?free|spoken for|filled|closed|claimed|jammed|slammed|swamped|otherwise engaged|hard pass",
        r"(?:have|need) to pass|pass(?:ing)? on|count me out|won't fly|not happening|no way",
        r"(?:is|are|already) {adv}reserved|(?:i|we|agent 00?)(?:'m| am|'re| are| is) out (?=at|for|in|of|on)",
    ),
    # The target is free there, or can do it.
    "positive": (
        r"free|unencumbered|uncommitted|capacity|in a position to|around(?= (?:at|in|for)\b)|permits?|allows?",
        r"available|availability|availabilities|avail|open(?:ings?)?|vacant|unbooked|unblocked|wide-?open|empty",
        r"work(?:s|able)?|working (?:for|well)|doable|feasible|viable|suits?|suitable|manageable|achievable",
        r"(?:can|could) {adv}(?:do|make|attend|meet|manage|accommodate|take|join|handle|fit|swing|commit|support|host|"
        r"offer|agree to)",
        r"count me in|game for|in favou?r of|a go|green light|checks? out|unclaimed|unreserved|untouched",
        r"room (?:at|in|for|on)|space (?:at|in|for)|(?:can|could|will|'ll) {adv}be (?:there|around|present|in)",
        r"on board with|poses? no \w+|presents? no \w+|can {adv}use",
        r"able to (?:do|make|attend|meet|join|take|accommodate)|(?:is|are|'s|'re|be|am|'m) {adv}clear",
        r"clear (?:at|in|on|during|for)|in the clear|good to go|fits?",
        r"(?:good|fine|great|perfect|ok|okay|convenient|acceptable|comfortable|cool|happy|alright|possible|"
        r"ideal) (?:for|with|by|to) (?=(?:me|us|both|all|everyone|myself|agents?|you|them|using|taking|doing|slots?|"
        r"0)\b)",
        r"(?:is|are|'s|'re|be|am|'m|looks?|sounds?|seems?) {adv}(?:good|fine|great|perfect|okay|ok|possible|"
        r"convenient|acceptable)",
        r"(?:is|are|'s|'re|be|as|my|only) {adv}(?:options?|possibilit(?:y|ies)|openings?)|accommodates?|{not} mind",
        r"good(?<=0 good)|fine(?<=0 fine)|ok(?<=0 ok)|okay(?<=0 okay)|great(?<=0 great)|perfect(?<=0 perfect)",
    ),
    # Moving what is there costs little, or a number.
    "cost": (
        r"costs?(?: {adv}(?:me|us|only|is|of|about|around|at|would be))* ?[:=-]? ?0+\b|00*[- ]cost",
        r"(?:low|lower|lowest|small|minimal|zero|no|little|minimum|reasonable|modest|negligible|least|"
        r"limited)[- ]?(?:displacement |moving |scheduling )?(?:costs?|impact|priority|stakes|effort|disruption|"
        r"burden|importance)",
        r"costs? (?:(?:me|us) )?(?:almost |next to |very |practically )?(?:nothing|little)",
        r"(?:simple|quick|trivial|straightforward|simpler) to (?:move|shift|clear|relocate|reschedule|free up)",
        r"wiggle room|negotiable|nudged?|no sweat|small (?:price|ask)|(?:barely|hardly) (?:costs?|any cost|matters)",
        r"low[- ]friction|movable|can give|minor|trivial|negligible|minimal|painless|cheap(?:er|est|ly)?|inexpensive",
        r"unimportant|harmless|easy|easier|easiest|easily|eas(?:e|ily) of moving|flexible|flexibility|mov(?:e?able)",
        r"adjustable|shiftable|effortless\w*",
        r"(?:can|could|happy to|willing to|able to) (?:be )?{adv}(?:moved?|shift(?:ed)?)",
        r"{not} (?:cost|costly|expensive|disruptive|(?:be )?an? (?:huge |major |big |real )?(?:deal|hassle|"
        r"burden))(?: (?:me|us))?(?: (?:much|anything|a lot))?",
        r"no big deal|(?:least|less) (?:costly|expensive|disruptive|painful)",
    ),
    # The target puts the slot forward, or settles on it.
    "proposal": (
        r"prefer\w*|suggest\w*|propos\w*|recommend\w*|favou?r\w*|nominat\w+|advocat\w+|vot(?:e|ing) for",
        r"push(?:ing)? for|my (?:vote|pick|choice|favou?rite)|fall-?back|back-?up|plan b|partial to",
        r"decid(?:e|ed|ing) on|make it (?=slot|0)|put me down|sign(?:ed|ing)? off on|pin(?:ned|ning)? down",
        r"nail(?:ed|ing)? down|second (?=slot)|i'm for (?=slot)|i'd say|put forward|counter-?propos\w*|aim(?:s|ing)?",
        r"target(?:ing)?|lean(?:ing)?(?: towards?)?|shoot for|opt(?:s|ing)?(?: for)?|settle[sd]?|settling|confirm\w*",
        r"lock(?:ed|ing|s)?(?: (?:it|us|this|that|things))?(?: in)?|finali[sz]\w+|agree[sd]?|agreed|agreement",
        r"accept(?:s|ed|ing)?|commit(?:ted|ting)? to|let'?s|let us|shall we|go(?:ing|es)? (?:ahead )?(?:with|for)",
        r"went with|stick(?:ing)? (?:with|to)|(?:move|moving|proceed|proceeding|push|moves) (?:forward|ahead|on)",
        r"proceed(?:ing|s)?(?: with)?|run with|use|using",
        r"(?:i'll|we'll|i will|we will|i'd|we'd|to|happy to) (?:take|do|use|book|put|set|hold|keep|grab|pick|choose|"
        r"reserve|place|have)",
        r"pick(?:ed|ing)?|choos(?:e|ing)|chose|select(?:ed|ing)?|reserv(?:e|ed|ing)|book(?:ing)?",
        r"booked (?:us|it|the|this|meeting)",
        r"schedul(?:e|ing) (?=it|this|the|that|our|us|meeting|for|at|in|on|slot|0|around)",
        r"scheduled (?:it|us|this|the meeting|our meeting|meeting m?0+)",
        r"(?:all )?set(?:ting)? (?:us |it |this |meeting m?0+ )?(?:for|to|at|on|in)",
        r"(?:put|place|pencil|slot)(?:ting)? (?:us|it|this|the meeting|our meeting|meeting m?0+|me)(?: down| in)?|best",
        r"better|ideal|(?:first|top|preferred) choice|would like|'d like|'d love|want(?:s)?|inclined",
        r"plan(?:s|ning)?(?: on| for)?|try|it is(?= ?$| then| ?[,:~(]| for (?:me|meeting|us))|final answer",
    ),
}

# Phrases that read like an errand or a refusal and say the opposite: they count as positive, whatever comes before.
CLEAR: Phrases = (
    r"{noun}-free|conflict-free|free of (?:{noun}|conflicts?|meetings?)|clear of (?:{noun}|conflicts?|meetings?)",
    r"no (?:[\w-]+ ){0,2}(?:{noun}|meetings?|items?)(?: (?:or|and) (?:{noun}|meetings?|conflicts?))?",
    r"no (?:need|reason) to (?:move|reschedule|shift|displace)",
    r"nothing (?:needs|has|to) (?:to )?(?:move|be moved|reschedule|displace)",
    r"{not} {adv}(?:have|got|hold|contain) {adv}(?:an?|any|anything|another)(?: (?:[\w-]+ )?(?:{noun}|meetings?|"
    r"items?|thing))(?: \w+ed)?",
    r"{not} {adv}(?:have|got|hold|contain) {adv}(?:anything|a thing)(?: {adv}(?:scheduled|booked|planned|on))?",
    r"(?:nobody|no one|none of us|everyone) (?:has|have) (?:a |an |any |no )(?:problem|issue|objection|"
    r"conflict)s?(?: with| at)?",
    r"{not} (?:of (?:them|these|those) )?(?:would |will |do |does )?{adv}(?:need|require|oblige|have to|mean|involve|"
    r"force)[^,;:()~]{0,20}?(?:mov(?:e|es|ed|ing)|reschedul\w+|displac\w+|shift\w*)",
    r"without (?:[\w']+ ){0,3}(?:mov\w+|reschedul\w+|displac\w+|conflicts?|{noun}|issues?|problems?)",
    r"nothing (?:[\w']+ ){0,2}in (?:my|the|our) way|(?:none|neither|nothing) of my (?:{noun}|meetings?)",
    r"(?:no|nothing) (?:plans?|stuff)",
    r"nothing (?:else )?{adv}(?:scheduled|booked|planned|on|at|in|there|during|to move|going on)",
    r"nothing (?:to|has to) (?:be )?move[d]?|{not} {adv}(?:occupied|taken|booked)|unoccupied",
    r"(?:no|zero) (?:problem|problems|issue|issues|trouble|difficult(?:y|ies)|conflicts?|constraints?|objections?|"
    r"clash(?:es)?)",
    r"(?:freed|cleared|opened)(?: (?:it|that|this))?(?: up)?|not a conflict",
    r"{not} {adv}(?:be )?{adv}(?:problem|issue|trouble)",
)

# What turns the class after it around.
NEGATION: Phrases = (r"{not}|no longer|none|nor|no one|nobody|without|no|nothing|hardly|barely|ain't|not even",)

# Phrases with words of the classes, or with numbers, that say nothing of a slot.
IGNORED: Phrases = (
    r"feel free to \w+|(?:thank you|thanks)(?: for \w+ing| so much| a lot|(?: \w+){1,2} for \w+ing)?",
    r"(?:appreciate|thanks for|thank you for) (?:(?:you|your) \w+ing|(?:the|your|that) (?:suggestion|proposal|offer))",
    r"not (?:only|just|merely|simply)|no(?= ?[,:~(])|(?:prefer|rather|better|best) not(?: to)?(?: \w+)?",
    r"working (?:on|out)|work(?:s|ing)? (?:around|through|together|towards?)|work out",
    r"(?:can'?t|cannot|can not|couldn'?t|could not|won't|will not|unable to|not able to) {adv}(?:share|disclose|"
    r"reveal|say|tell|discuss|confirm|guarantee|promise|speak|comment|mention|explain|describe|wait|provide|"
    r"give(?! up)|specify|go into|see|find|think of|elaborate|agree|divulge)",
    r"(?:in|on) (?:that|this) case|as soon as possible|as (?:flexible|open) as|free of charge",
    r"open (?:question|issue|to (?:discuss|suggest|hear)\w*)|high(?:er|est)?[- ](?:cost|impact|priority|stakes)",
    r"(?:very|too|more|most|quite|less) (?:costly|expensive)|(?:un|in)flexible|uneasy",
    r"(?:not|isn't|aren't|wouldn't be|won't be|hardly|far from) {adv}(?:great|ideal|perfect|optimal|best|better|"
    r"first choice|easy|flexible|cheap)",
    r"(?:round|turn|option|plan|step|day|week|phase|level|priority|rank|score|part|version|point|stage|item|task|"
    r"id)s? ?(?:#|no\.?|number)? ?:?0+\b",
    r"meetings m?0+(?: ?(?:,|and|&|or) ?m?0+)*|(?:for |of |on )?(?:our |the )?meeting ?(?:#|no\.?|number|id)? ?m?0+\b",
    r"m0+\b|(?:the|this|our) meeting|(?:total|combined|joint|overall|our) costs? (?:of |is |would be )?0+|my schedule",
    r"the schedule|how (?:free|flexible|available|open|busy)|as (?:free|busy) as",
)

# From here on nothing is claimed, up to the comma that ends the condition.
HYPOTHETICAL: Phrases = (
    r"(?:would |'d )?(?:like|rather|prefer|want) (?:to )?keep",
    r"if|whether|unless|assum(?:e|es|ing)|provided(?: that)?|providing|suppos(?:e|ing)|presum(?:e|ing|ably)|in case",
    r"as long as|so long as|until|once|when|whenever|before|should (?=you|slot|agent|0|we|any|that|it)|contingent",
    r"conditional|pending|depend(?:s|ing)|wonder(?:ing)?|hop(?:e|ing|efully)|might|may|maybe|perhaps|possibly",
    r"potentially|(?:not|isn't) (?:sure|certain|clear|confident)|so that|in order to|unsure|uncertain|unclear",
    r"(?:do not|don't|didn't) (?:yet )?know|no idea|curious|doubt|wish|used to be|had been|would have been",
    r"(?:let me|let us|let's|i'll|i will|we'll|i can|i could|we can|we should|need to|have to|going to|i'd like to|"
    r"want to|will|must) (?:first |also |quickly |just |now |then )?(?:check|ask|verify|find out|double-?check|"
    r"reach out|inquire|query|confirm with|consult)",
    r"(?:let me|let us|let's|i'll|we'll|i will) see|let me confirm|ask|asking|check(?:ing)?(?: with| on)?",
    r"waiting (?:for|on|to)|await(?:ing)?|try(?:ing)? to|see (?:if|whether)|find out|guess(?:ing)?",
)

# A request for an answer: like a question.
REQUEST: Phrases = (
    r"please {adv}(?:confirm|check|verify|let|tell|share|send|advise|reply|respond|indicate|specify|provide|list|say|"
    r"clarify|update|see|note if|move|reschedule|shift|clear|free|consider|avoid|keep|make|pick|choose)",
    r"(?:could|can|would|will) you|let me know(?<!0 let me know)(?<!they let me know)|tell me|kindly",
    r"i(?:'d| would)? (?:need|want|like) you to|do you|are you|have you",
)

# The rest of the calendar: what is said of it is not said of the slots named.
ELSEWHERE: Phrases = (
    r"(?:the )?other (?:slots?|ones?|options?|times?)|the rest(?: of)?|everything else|anything else|nothing else",
    r"elsewhere|remaining|all others|any others?",
)
