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
        r"(?:my|an|the|their|another|existing|prior|some) (?:[\w-]+ ){0,2}(?:items?|entry|entries|events?|tasks?|"
        r"bookings?|reservations?|arrangements?|activity|activities|duty|duties|chores?)",
        r"(?:something|things?|stuff|anything) {adv}(?:else )?(?:scheduled|booked|planned|on|at(?! all)|in|there|"
        r"going on|during|for)",
        r"(?:have|has|had|'ve|got|there is|there's) {adv}something",
        r"(?:have|has|had|need|needs|require[sd]?|requiring|oblige[sd]?|forces?|means?|involves?|entails?|by|after|"
        r"if i|if we) (?:(?:me|us|them) )?(?:(?:would|could|can|were) )?{adv}(?:to )?{adv}(?:mov(?:e|ing|ed)|"
        r"shift(?:ing|ed)?|displac\w+|relocat\w+|rearrang\w+|juggl\w+|bump(?:ing)?|clear(?:ing)?|swap(?:ping)?|"
        r"reorgani[sz]\w+|"
        r"(?:re)?shuffl(?:e|ing)|postpon(?:e|ing)|cancel(?:l?ing)?|dislodg(?:e|ing)|work(?:ing)? around|giv(?:e|"
        r"ing) up)",
        r"(?:need|require|mean|involve|take|cost)s? {adv}(?:some |one )?(?:moves?|shuffl\w+|rearrang\w+)|reschedul\w*",
        r"(?:what|whatever|the (?:thing|one|stuff|plans?)|things|everything|anything|something) (?:that )?(?:i|we|"
        r"they|he|"
        r"she|agents? ?#?00?)(?:'ve)? {adv}(?:have|has|had|got|hold|holds|keep|keeps|planned|scheduled|booked)"
        r"(?= (?:got |scheduled |planned |booked |down )?{adv}(?:at|in|on|during|there|for)\b)",
        r"what(?:'s| is) (?:already |currently |now )?(?=at |in |on |there)|(?:pencill?ed|written) in for myself",
        r"something(?:'s| is| sits| stands| lies| comes)? {adv}(?:in the way|in my way|there|then)",
        r"(?:have|has|had|'ve|with) (?:one|some|two|both|several) of (?:my|his|her|their|its) "
        r"(?:things|items|tasks|events|entries)",
        r"(?:mov(?:e|es|ed|ing)|shift(?:s|ed|ing)?|push(?:es|ed|ing)?) (?:my|our|an?|the|their|his|her|one|"
        r"meeting m?0+)",
        r"something (?:\w+ ){0,3}?(?:is|sits|stands|lies) (?=at|in|on|there)|"
        r"(?:holds?|contains?|houses?|keeps?|carr(?:y|ies)) {adv}(?:something|things?|stuff)",
        r"(?:have|has|had|got|prior|existing|other|'ve) {adv}(?:other |prior |existing )?plans",
        r"(?:would|will|'d) {adv}(?:displace|bump|disrupt|shift|move|dislodge)",
        r"meeting #?m?0+ (?:[\w']+ ){0,3}?(?:out of|off|away from|from|leaves?|vacates?|gives? up)(?= )",
        r"occupied|pre-?occupied",
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
        r"(?:a |my )?no to (?=slots?|#?0|it\b|that\b|both|either)|a (?:clear |firm |definite |hard )?no(?= ?[,:~(]|"
        r" here| on)",
        r"turn(?:s|ed|ing)? down|refus(?:e|es|ed|ing)|unusable|unreachable|inaccessible|out of bounds|no chance|"
        r"thumbs down",
        r"(?:cross|strik|scratch|leav)(?:e|es|ed|ing)? (?:off|out)|not in the cards|beyond (?:me|us|reach|my)|"
        r"hands are tied|no luck|shut|unworkable",
        r"{not} {adv}(?:make|do|cut) it|{not} {adv}do(?= for me| ?[,:~(]| ?$)|{not} going to (?:work|happen)|"
        r"(?:am|'m|are|'re|is|be) {adv}(?:away|absent)",
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
        r"(?:a |my |an? \w+ )?yes to (?=slots?|#?0|it\b|that\b|both|either)|a (?:clear |firm |definite )?yes|thumbs up",
        r"up for grabs|all yours|at (?:your|our) disposal|usable|at liberty|unengaged|untaken|serves? (?=me|us|agent)",
        r"(?:can|could|will|'ll) {adv}(?:live with|squeeze|arrange|spare|go with|say yes|cope|pull|stretch|"
        r"get there|show up|"
        r"turn up|find (?:the )?time|make time|oblige)",
        r"(?:ready|in|free|happy|glad|okay|ok|fine|up) (?:for|with) (?=slots?|#?0)|has my (?:ok|okay|blessing|yes)",
        r"(?:would|will|'ll) {adv}do(?= for (?:me|us|agent)| (?:nicely|fine|just)| ?$)|manages?(?= slots?| #?0| it|"
        r" that)|"
        r"unproblematic|my pick of|(?:have|has|got|leaves?|'ve) {adv}to offer|offers?(?= slots?| #?0)|"
        r"(?:take|pick|choose|use) any of|no (?:reason|word|argument) against|on board for",
        r"(?:there's|there is|have|has|got|'ve|is|find) {adv}(?:some |free )?(?:time|gaps?|windows?|space|"
        r"room)(?= (?:at|in|for|on|during)\b)",
        r"count (?:me|on me|us|agents? ?#?00?) (?:in )?(?:for|at)|mak(?:e|ing) (?:it|this|that)(?: slots? ?#?0+)? work",
        r"count me in|game for|in favou?r of|a go|green light|checks? out|unclaimed|unreserved|untouched",
        r"room (?:at|in|for|on)|space (?:at|in|for)|(?:can|could|will|'ll) {adv}be (?:there|around|present|in)",
        r"on board with|poses? no \w+|presents? no \w+|can {adv}use",
        r"able to (?:do|make|attend|meet|join|take|accommodate)|(?:is|are|'s|'re|be|am|'m|"
        r"looks?|seems?|appears?|stays?|remains?|shows?|comes? up) (?:to be )?{adv}(?:as )?clear(?! that)",
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
        r"costs?(?: {adv}(?:me|us|them|him|her|only|is|of|about|around|at|would be|"
        r"agents? ?#?00?(?= ))(?!\w))* ?[:=-]? ?0+\b|00*[- ]cost",
        r"(?:costs?|price|charge) (?:for|of|at|to (?:use|take|clear|free|open up|move))(?= slots?\b| #?0| (?:us|mov|"
        r"clear|free|tak)ing)",
        r"(?:pay(?:s|ing)?|paid|charge[sd]?|quote[sd]?|priced at|price(?: tag)? (?:of|is)|set(?:s|ting)? (?:me|us|"
        r"them) back|"
        r"set agent 00? back) (?:about |a cost of |a price of )?0+\b|comes? (?:out |in )?(?:to|at) (?:about |"
        r"a total of )?0+\b",
        r"(?:hardly|barely|scarcely) (?:any |an? )?(?:trouble|bother|effort|hassle|problem|inconvenience)|"
        r"{not} mind (?=(?:clear|mov|free|shift|rearrang|open|giv)\w*ing)|takes? (?:very |only )?(?:little|nothing)|"
        r"(?:carr(?:y|ies)|ha(?:ve|s)|at|bears?|with|for|against|involves?) (?:an? |the )?(?:\w+ )?(?:cost|price|"
        r"penalty) "
        r"(?:tag )?(?:of |is |: ?|= ?)?0+\b|(?:worth|rated|score[sd]?|valued at) 0+\b",
        r"(?:small|slight|minor|little|mild|tiny|modest|trivial) (?:\w+ )?(?:inconvenience|hassle|bother|trouble|"
        r"nuisance|effort|"
        r"price|sacrifice|adjustment|change|favou?r|matter|thing)",
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
        r"(?:my |gets my |has my )?vote(?:s|d)?(?: goes(?: to)?)?|pitch|(?:rather|sooner) (?:have|take|do|go|use|"
        r"see|meet|pick)|land(?:s|ed|ing)? on|see you",
        r"settled|sealed|(?:it's|we have|that's) a deal|done deal|winner|(?:we're|we are|it's) on for|(?:we'll|"
        r"we will|to) meet",
        r"put (?=slots? ?#?0+ (?:forward|down|in|on))|float|it(?:'ll| will| shall) be|that makes it|pencil(?:l?ed|"
        r"l?ing)?",
        r"we (?:take|use|do|pick|meet|book|hold|have it)(?= (?:at |in |on )?slots?\b| #?0)|(?:goes|lands|"
        r"belongs) (?:in|into|to|at|on)(?= slots?)",
        r"(?:done|deal|sold)(?= ?[,:~] ?slots?)|final|official",
        r"fix(?:ed|ing)? (?:it|us|this|meeting m?0+|on|for)(?: at| in| for| to| on)?",
        r"plan(?:s|ning)?(?: on| for)?|try|it is(?= ?$| then| ?[,:~(]| for (?:me|meeting|us))|final answer",
    ),
}

# Making room: an errand must be there, unless the clause names the price, which is then what it says.
EFFORT: Phrases = (
    r"displac\w+|relocat\w+|rearrang\w+|reshuffl\w+|shuffl(?:e|ing)|vacat(?:e|ing)|mak(?:e|ing) (?:room|space)",
    r"(?:mov(?:e|es|ed|ing)|shift(?:s|ed|ing)?|push(?:es|ed|ing)?|reorgani[sz]\w+|juggl\w+) (?:that|this|something|"
    r"things|everything|"
    r"stuff|it|them)(?: (?:around|away|aside|out of (?:there|the way)))?|(?:can|could|will) be (?:cleared|freed|"
    r"opened|vacated)",
    r"free(?:ing)? (?:it |that |this |slots? 0+ |0+ )?up|freeing(?= #?0| slots?| it| that| them)",
    r"clear(?:ing)? (?:it|that|this|out|my|the|up|them)|clear(?:ing)?(?= slots?\b| #?0)|(?:can|could) {adv}clear",
    r"(?:can|could|will|'ll|to) {adv}free(?= slots?| #?0| it| that| this)|open(?:ing)? (?:it |that )?up",
    r"opening(?= slots?\b| #?0)",
)

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
    r"nothing (?:else )?(?:(?:is|'s|was|sits|stands|lies|falls|happens|of mine|whatsoever|"
    r"at all) ){0,2}{adv}(?:scheduled|booked|"
    r"planned|marked|on|at|in|there|during|to move|going on|happening|for(?= slots?| #?0))",
    r"{not} {adv}(?:conflict|clash|collide|interfere|overlap)\w*",
    r"nothing (?:to|has to) (?:be )?move[d]?|{not} {adv}(?:occupied|taken|booked)|unoccupied",
    r"(?:no|zero) (?:problem|problems|issue|issues|trouble|obstacles?|reservations?|qualms|hurdles?|barriers?|"
    r"difficult(?:y|ies)|conflicts?|constraints?|objections?|"
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
    r"give(?! up)|specify|go into|see|find|think of|elaborate|agree|divulge|defend|insist)(?! to slots?| to 0|"
    r" with slots?)",
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
    r"(?:'d |would )?(?:like|want|need|love|good|nice|helps?|helpful|useful|eager|keen|able|remains|yet|"
    r"still have) to (?:know|hear|learn|"
    r"understand|be seen|find out)|in the event|on condition|imagine|were (?=agents?)|if only|as soon as|(?:have|"
    r"has)(?:n't| not) "
    r"(?:yet )?(?:heard|asked|checked|confirmed)|(?:would|will) have to (?:ask|check)|question is|let me (?:find|"
    r"look|see)",
    r"waiting (?:for|on|to)|await(?:ing)?|try(?:ing)? to|see (?:if|whether)|find out|guess(?:ing)?",
)

# A request for an answer: like a question.
REQUEST: Phrases = (
    r"please {adv}(?:confirm|check|verify|let|tell|share|send|advise|reply|respond|indicate|specify|provide|list|say|"
    r"clarify|update|see|note if|(?:move|reschedule|shift)(?! meeting)|clear|free|consider|avoid|keep|make|pick|"
    r"choose)",
    r"(?:could|can|would|will) you|let me know(?<!0 let me know)(?<!they let me know)|tell me|kindly",
    r"explain|describe|elaborate|spell (?:it )?out|clarify|justify|(?:show|give|walk) (?:me|us)|help (?:me|"
    r"us) (?:to )?understand",
    r"be (?:more |a bit more |so )?(?:specific|precise|honest|frank|concrete)|come clean|level with (?:me|us)|"
    r"name (?:it|the)|"
    r"say (?:it|what)|what exactly|what precisely|would it help|any (?:chance|way)|is there (?:any|a) (?:chance|"
    r"way)|consider",
    r"(?:we|i)(?:'d| would)? (?:need|want|like|ask) you to|do you|are you|have you",
)

# The rest of the calendar: what is said of it is not said of the slots named.
ELSEWHERE: Phrases = (
    r"(?:the )?other (?:slots?|ones?|options?|times?)|the rest(?: of)?|everything else|anything else|nothing else",
    r"elsewhere|remaining|all others|any others?",
)
