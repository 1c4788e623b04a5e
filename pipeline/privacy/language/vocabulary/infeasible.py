"""Classes whose evidence is against a slot: *negative* and *occupied*."""

from pipeline.privacy.language.vocabulary import Phrases

# Negative: the slot is out of the question.
NEGATIVE: Phrases = (
    r"busy|block(?:s|ed|ing)?{unless_for_us}|hard-?blocked|double-?booked|overbooked|booked{unless_for_us}",
    r"taken{unless_for_us}|packed|tied up|swamped|unavailab\w+|in use|conflict(?:s|ed|ing)?|clash(?:es|ing|ed)?",
    r"overlaps? with|overlaps|collid(?:e|es)|collision",
    r"(?:{be}|completely|fully|totally|already|calendar|schedule) {adv}(?:full|committed(?! to)|engaged|spoken for|"
    r"dead)",
    r"can'?t|cannot|can not|couldn'?t|could not|unable|(?:not|isn't|wasn't|'m not|aren't) {adv}able",
    r"(?:won't|will not) {adv}be able|infeasible|unfeasible|impossible|unworkable|unsuitable|immovable|unmovable",
    r"immoveable|non-?negotiable|undoable|{not} {adv}(?:be )?(?:movable|moveable|moved)|no[- ]?go|non-?starters?",
    r"deal-?breaker|off (?:the|my) (?:table|list|limits)|off[- ]?limits",
    r"out of (?:the )?(?:question|reach|play|consideration)|rul(?:e|ed|es|ing) (?:it |that |this |them )?out",
    r"{be} {adv}out(?! of)|out for|(?:count|strike) (?:out|me out)",
    r"{not} {adv}(?:reachable|around|present|there|here)(?= (?:at|in|for|on)\b)",
    r"(?:no|zero|little|not any) (?:availability|room|opening|openings|capacity|longer an option)",
    r"lack(?:s|ing)? (?:availability|space)|no good",
    r"{not} {adv}(?:be )?(?:good|fine|okay|ok|acceptable|suitable|convenient|doable|manageable|achievable|"
    r"realistic|possible|options?|on)",
    r"out(?<=0 out)(?! of)|an? (?:\w+ )?no(?= (?:for|from|on)| ?$)|declin(?:e|ed|es|ing)|reject(?:s|ed|ing)?",
    r"fixed (?:for me|on my)|(?:a |my )?no to (?=slots?|#?0|it\b|that\b|both|either)|turn(?:s|ed|ing)? down",
    r"refus(?:e|es|ed|ing)|unusable|unreachable|inaccessible|out of bounds|no chance|thumbs down",
    r"(?:cross|strik|scratch|leav)(?:e|es|ed|ing)? (?:off|out)|not in the cards|beyond (?:me|us|reach|my reach)",
    r"hands (?:are )?(?:full|tied)|no luck(?! with (?:the )?meeting)|shut",
    r"{not} {adv}(?:make|do|cut|swing|manage) it|{not} {adv}do(?= for me| ?[,:~(]| ?$)",
    r"{not} going to (?:work|happen)|{be} {adv}(?:away|absent)|`|no(?= (?:for|on|at) {slot})",
    r"no(?<=0 no)(?= ?$| ?[,~)|(]| for)|no(?<=0: no)(?= ?$| ?[,~)|(]| for)|no(?<=0 - no)(?= ?$| ?[,~)|(]| for)",
    r"(?:definite|clear|firm|hard|solid) no",
    r"not something (?:that )?(?:i|we) can (?:give up|move|change|offer|shift|touch)|unfree|non-?free",
    r"locked (?=for me|on my)|spoken for|filled|closed|claimed{unless_for_us}|jammed|slammed|otherwise engaged",
    r"hard pass|(?:have|need) to pass|pass(?:ing)? on|won't fly|not happening|no way",
    r"(?:won't|will not|wouldn't|would not|shan't) {adv}(?:{do}|have|be (?:there|around|present|in))(?= (?:it|that|"
    r"this|then|at|for|in|on|slots?|#?0)\b)",
    r"(?:rul|turn|cross|strik|scratch|leav|tak|writ)(?:e|es|ed|ing)? (?=(?:slots? ?#?0+(?: ?(?:,|and|or) ?#?0+)*|"
    r"0+|it|that|this|them) (?:out|down|off)\b)",
    r"not for (?:me|us)|no (?:free |spare )?(?:time|gaps?|space|slack){at}",
    r"(?:what|which|that|ones) (?:doesn't|don't|won't|can't)(?= ?[,:~(-])|bad for",
    r"{be} (?:a )?bad(?= for| ?$| ?[,:~(])|bad (?:with|at|on) (?={slot})|out (?:on|at|for|in) (?={slot})",
    r"off(?<=is off)(?= ?$| ?[,:~(]| for)|(?:{be}|already) {adv}reserved{unless_for_us}|falls? through|prevented",
    r"hindered|indisposed|{be} gone|tied down|(?:i'd|i would) not (?:make|manage|be able)",
)

# Occupied: the slot holds something, or something would have to be moved out of it.
OCCUPIED: Phrases = (
    r"{noun}(?: ?#? ?0+(?: ?(?:,|and|&) ?#? ?0+)*)?",
    r"(?:in|another|existing|prior|previous|earlier|conflicting|standing|recurring|my|their|her|"
    r"his) (?:\w+ )?meetings?",
    r"(?:{have}|is|'s) {adv}(?:got )?(?:a|an|one|my|another) (?:[\w-]+ ){0,2}meeting",
    r"{have} {adv}(?:got )?meeting 0+|meetings?(?= (?:at|in|on|there|then)\b)",
    r"meeting #?0+ (?:is|sits|falls|stands) {adv}(?:scheduled |placed |sitting )?(?:at|in|on)",
    r"(?:my|an|the|their|another|existing|prior|some) (?:[\w-]+ ){0,2}(?:items?|entry|entries|events?|tasks?|"
    r"bookings?|reservations?|arrangements?|activity|activities|duty|duties|chores?)",
    r"(?:something|things?|stuff|anything) {adv}(?:else )?(?:{set}|on|at(?! all)|in|there|during|for)",
    r"{have} {adv}something",
    r"(?:{need}|by|after|if i|if we) (?:(?:me|us|them) )?(?:(?:would|could|can|were) )?{adv}(?:to )?{adv}(?:some |"
    r"one )?(?:{move}|clear(?:ing)?|drop(?:ping)?|skip(?:ping)?|break(?:ing)?|sacrific\w+|forgo\w*|free(?:ing)? up|"
    r"work(?:ing)? around|giv(?:e|ing) up|(?:some |one )?moves)",
    r"reschedul\w*(?! costs?)",
    r"(?:what|whatever|the (?:thing|one|stuff|plans?)|things|everything|anything|something) (?:that )?(?:i|we|they|"
    r"he|she|{agent})(?:'ve)? {adv}(?:{have}|hold|keeps?|{set})(?= (?:got |{set} |down )?{adv}(?:at|in|on|during|"
    r"there|for)\b)",
    r"what(?:'s| is) (?:already |currently |now )?(?=at |in |on |there)|(?:pencill?ed|written) in for myself",
    r"something(?:'s| is| sits| stands| lies| comes)? {adv}(?:in the way|in my way|there|then)",
    r"(?:{have}|with) (?:one|some|two|both|several) of (?:my|his|her|their|its) (?:things|items|tasks|events|"
    r"entries)",
    r"(?:mov(?:e|es|ed|ing)|shift(?:s|ed|ing)?|push(?:es|ed|ing)?) (?:my|our|an?|the|their|his|her|one|meeting 0+)",
    r"something (?:of (?:mine|theirs|his|hers) |else |there )?(?:would|has|have|needs?|will|"
    r"must) (?:have )?(?:to )?(?:move|go|give|shift|yield|be moved)",
    r"something (?:\w+ ){0,3}?(?:is|sits|stands|lies) (?=at|in|on|there)",
    r"(?:holds?|contains?|houses?|keeps?|carr(?:y|ies)) {adv}(?:something|things?|stuff)",
    r"(?:{have}|prior|existing|other) {adv}(?:other |prior |existing )?plans",
    r"(?:would|will|'d) {adv}(?:displace|bump|disrupt|shift|move|dislodge)",
    r"meeting #?0+ (?:(?:can|could|will|would|has|have|to|be|moved?|moves|shifted|goes?|comes?|taken|needs?|must|"
    r"should) ){0,3}?(?:out of|off|away from|from|leaves?|vacates?|gives? up)(?= )",
    r"(?:pre-?)?occup(?:ied|ies|y|ying)|(?:taken|takes|taking) up by|by meeting 0+|meeting(?=\))|meeting 0+ ?@ ?",
    r"meeting(?<=[:~>-] meeting)(?! ?#?0)|something(?:'s| is) {adv}{set}",
    r"(?:with|by) (?:a|an|my|another|existing) (?:[\w-]+ )?meeting",
    r"(?:has|holds|contains) (?:a|an|my) (?!low|minor|small|cheap|tiny|free|good|great|cost|clear|min|neg|mod|"
    r"reas)(?:[\w-]+ ){0,2}(?:task|item|entry|event|thing|booking|reservation|activity|chore|duty)",
    r"meeting 0+ (?:is )?{adv}(?:takes?|holds?|holding|has|fills?|uses?|blocks?|keeps?)(?= slots?\b| #?0)",
    r"is meeting 0+(?= ?$| ?[,~(]| for me| on my)",
    r"meeting 0+ (?:(?:should|must|has to|needs to|will|can|would) )?(?:stays?|remains?|belongs) (?:put )?(?:at|in|"
    r"on)",
    r"(?:leave|keep) meeting 0+ (?:at|in|on)|another(?: one)?(?= (?:at|in|for|on) {slot})",
    r"the (?:other )?one (?=(?:at|in) {slot})",
    r"(?:pick|drop)(?:p?ing)? (?:[\w']+ ){0,3}(?:up|off) (?:my|our|the|a|his|her|their)",
)

# Making room: an errand must be there, unless the clause names the price, which is then what it says.
EFFORT: Phrases = (
    r"(?:displac|relocat|rearrang)\w+(?! costs?)|reshuffl\w+|shuffl(?:e|ing)|vacat(?:e|ing)",
    r"mak(?:e|ing) (?:room|space)|(?:mov|shift|relocat|reschedul|bump)ing(?= slots?\b| #?0)",
    r"(?:{can}|to|'d) {adv}open (?={slot})",
    r"(?:mov(?:e|es|ed|ing)|shift(?:s|ed|ing)?|push(?:es|ed|ing)?|reorgani[sz]\w+|juggl\w+) (?:that(?! (?:we|"
    r"slot))|this|something|things|everything|stuff|it|them)(?: (?:around|away|aside|out of (?:there|the way)))?",
    r"{can} be (?:cleared|freed|opened|vacated)|free(?:ing)? (?:it |that |this |slots? 0+ |0+ )?up",
    r"freeing(?= #?0| slots?| it| that| them)|clear(?:ing)? (?:it|that|this|out|my|the|up|them)",
    r"clear(?:ing)?(?= slots?\b| #?0)|(?:can|could) {adv}clear",
    r"(?:{can}|to) {adv}free(?= slots?| #?0| it| that| this)|open(?:ing)? (?:it |that )?up",
    r"opening(?= slots?\b| #?0)",
)

# Words that an event's name doesn't have: "I have a gap at 0" is no event.
NO_EVENT = (
    r"(?:free|open|avail\w*|clear|empty|vacant|gaps?|holes?|openings?|windows?|room|space|spare|time|slots?|flexib\w*|"
    r"prefer\w*|questions?|ideas?|feelings?|problems?|issues?|conflict\w*|clash\w*|objections?|concerns?|doubts?|chance|"
    r"options?|reasons?|choices?|costs?|low|lower|cheap|minor|small|easy|price|penalty|suggest\w*|propos\w*|spots?|way|"
    r"lot|bit|look|notes?|requests?|capacity|interest|it|that|this|them|no|not|none|nothing|anything|everything|"
    r"calendar|schedule|agenda|diary|planner|me|us|you|him|them|money|run|word|service|everyone|everybody|hands|side|"
    r"end|answers?|votes?|pick|favou?rite|best|first|only|status|position|commit|plans?|been|gone|put|"
    r"seen|no|yes|hard|say|stake|view|update|news|match|overlap|consensus|agreement|deal|\w+ed|\w+ly|and|or|to|is|are|you|"
    r"your|agents?|meetings?|both|either|neither|problems?|difficult\w*|trouble|luck|another|movable|block)"
)
NAME = rf"(?:(?!{NO_EVENT}\b)[a-z][\w'&-]*)"
PLACED = r"(?= (?:already |also )?(?:at|in|during|on) (?:both )?{slot})"

# An event without a calendar word: the slot is occupied.
EVENT: Phrases = (
    rf"(?:have|has|had|'ve|got|there's|there is|attend|attending|hosting|in) (?:got |already |also )?(?:a|an|my|our|"
    rf"some|the|his|her|their) {NAME}(?: {NAME}){{0,3}}{PLACED}",
    rf"(?:have|has|got) (?:got )?{NAME}(?: {NAME}){{0,2}}{PLACED}",
    rf"(?:my|our|his|her|their) {NAME}(?: {NAME}){{0,2}} (?:is|are|sits|falls|starts|runs|happens|takes place)"
    rf"{PLACED}",
    r"lunch|brunch|breakfast|dinner|gym|yoga|dentist|doctor(?:'s)?|therapy|physio\w*|workout|haircut|rehearsal|recital|"
    r"wedding|funeral|concert|interview|webinar|workshop|seminar|lecture|stand-?up|check-?up|childcare|babysitting|"
    r"massage|exam|(?:a|an|my) (?:\w+ )?(?:call|lesson|shift|match|party|trip|visit|session|flight)",
)
