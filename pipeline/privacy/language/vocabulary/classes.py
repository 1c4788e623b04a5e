"""H.3's five classes: *occupied* and *negative* are against a slot, *positive*, *cost* and *proposal* for it."""

from pipeline.privacy.language.vocabulary import Phrases

# Negative: the slot is out of the question.
NEGATIVE: Phrases = (
    r"busy|(?:pre-?)?occupied(?! by| with)|hopeless|doomed|unthinkable|toast|a write-?off|(?:un|in|im|non-?)(?:{able}|"
    r"possible|accessible|reachable|avail\w*|move?able|negotiable|free)|block(?:s|ed|ing)?{unless_for_us}|"
    r"hard-?blocked|double-?booked|booked{unless_for_us}|taken{unless_for_us}|packed|tied up|swamped|in use|"
    r"conflict(?:s|ed|ing)?(?: with (?:{duty}|something))?|clash(?:es|ing|ed)?|overlaps? with|overlaps|collid(?:e|es)|"
    r"(?:{be}|completely|fully|totally|already|calendar|schedule) {adv}(?:full|committed(?! to)|engaged|spoken for|"
    r"dead)|can'?t|cannot|can not|couldn'?t|could not|unable|(?:not|isn't|wasn't|'m not|aren't) {adv}able|(?:won't|"
    r"will not) {adv}be able|{not} {adv}(?:be )?(?:movable|moveable|moved)|no[- ]?go|non-?starters?|deal-?breaker|"
    r"(?:no|full|out|red|unacceptable|doesn't|don't){label}",
    r"off (?:the|my) (?:table|list|limits)|off[- ]?limits|out of (?:the )?(?:question|reach|play|consideration|running|"
    r"picture|contention|bounds)|rul(?:e|ed|es|ing) (?:it |that |this |them )?out|{be} {adv}out(?! of)|out for|"
    r"(?:count|strike) (?:out|me out)|{not} {adv}(?:reachable|around|present|there|here)(?= (?:at|in|for|on)\b)|(?:no|"
    r"zero|little|not any) (?:availability|room|opening|openings|capacity|longer an option)|lack(?:s|ing)? (?:any |"
    r"the |all )?(?:availability|space|room|time|capacity|openings?)|no good|{not} {adv}(?:be )?(?:good|fine|okay|ok|"
    r"acceptable|convenient|realistic|possible|options?|on|{able})|out(?<=0 out)(?! of)|an? (?:\w+ )?no(?= (?:for|from|"
    r"on|here)| ?$| ?[,:~(])",
    r"declin(?:e|ed|es|ing)|reject(?:s|ed|ing)?|fixed (?:for me|on my)|(?:a |my )?no to (?=slots?|#?0|it\b|that\b|both|"
    r"either)|turn(?:s|ed|ing)? down|refus(?:e|es|ed|ing)|no chance|(?:cross|strik|scratch|leav)(?:e|es|ed|"
    r"ing)? (?:off|out)|veto(?:e[sd])?|snapped up|beyond (?:me|us|reach|my reach)|hands (?:are )?(?:full|tied)|"
    r"no luck(?! with (?:the )?meeting)|stuck(?= (?:in|at|until|till|from|through|during) )|ooo|out of (?:the )?office|"
    r"x(?<=0 x)(?= ?$| ?[,)|/])|shut|{not} {adv}(?:make|do|cut|swing|manage) it|{not} {adv}do(?= for me| ?[,:~(]| ?$)|"
    r"{not} (?:going to|gonna) (?:work|happen|fly)|ain'?t (?:going to|gonna) (?:work|happen|fly)|(?:can|"
    r"could) no longer|(?:engaged|needed|expected|tied up|booked|busy|committed|wanted|required) elsewhere|"
    r"{be} {adv}(?:away|absent)|`|no(?= (?:for|on|at) {slot})|no(?<=0 no)(?= ?$| ?[,~)|(]| (?:for|because|since|due|i|"
    r"i'm|i've|my|we)\b)|no(?<=0[:,=] no)(?= ?$| ?[,~)|(]| for)|no(?<=0 [-=] no)(?= ?$| ?[,~)|(]| for)|no(?:(?<=me no)|"
    r"(?<=said no)|(?<=says no)|(?<=is no)|(?<=was no))(?= ?$| ?[,~)|(]| and)|(?:definite|clear|firm|hard|solid) no",
    r"not something (?:that )?(?:i|we) can (?:give up|move|change|offer|shift|touch)|locked (?=for me\b|on my)|"
    r"spoken for|filled|closed|claimed{unless_for_us}|slammed|otherwise engaged|(?:have|need) to pass|pass(?:ing)? on|"
    r"won't fly|(?:withdr(?:ew|awn)|(?:back|pull|bow|dropp)(?:ed|s)? out) (?=(?:of|from) {slot})|not happening|no way|"
    r"no (?:can'?t|cannot)|(?:won't|will not|wouldn't|would not|shan't) {adv}(?:{do}|have|be (?:there|around|present|"
    r"in))(?= (?:it|that|this|then|at|for|in|on|slots?|#?0)\b)|(?:rul|turn|cross|strik|scratch|leav|tak|writ)(?:e|es|"
    r"ed|ing)? (?=(?:slots? ?#?0+(?: ?(?:,|and|or) ?#?0+)*|0+|it|that|this|them) (?:out|down|off)\b)|not for (?:me|us)",
    r"nothing (?=(?:before|after|until|till|past|beyond|(?:earlier|later) than) (?:(?:the )?{slot}|(?:that|then|"
    r"those)\b(?! \w+ing))(?![^,:~]* (?:block|busy|book|taken|conflict|errand)))|no (?:free |spare )?(?:time|gaps?|"
    r"space|slack){at}|(?:what|which|that|ones) (?:doesn't|don't|won't|can't)(?= ?[,:~(-])|bad for|"
    r"{be} (?:a )?bad(?= for| ?$| ?[,:~(])|bad (?:with|at|on) (?={slot})|bad(?<=[0:=>~-] bad)|out (?:on|at|for|"
    r"in) (?={slot})|off(?<=is off)(?= ?$| ?[,:~(]| for)|(?:{be}|already) {adv}reserved{unless_for_us}|falls? through|"
    r"(?:won't|will not) {move} (?:anything|a thing|things)(?= (?:at|in|on|from) {slot})|prevented|{be} {adv}gone|"
    r"tied down|(?:i'd|i would) not (?:make|manage|be able)",
)

# Occupied: the slot holds something, or something would have to be moved out of it.
OCCUPIED: Phrases = (
    r"{noun}(?: ?#? ?0+(?: ?(?:,|and|&) ?#? ?0+)*)?|(?:in|another|existing|prior|previous|earlier|conflicting|standing|"
    r"recurring|my|their|her|his) (?:\w+ )?meetings?|(?:{have}|is|'s) {adv}(?:got )?(?:a|an|one|my|"
    r"another) (?:[\w-]+ ){0,2}meeting|{have} {adv}(?:got )?meeting 0+|meetings?(?= (?:at|in|on|there|then)\b)|"
    r"meeting #?0+ (?:(?<!confirm: meeting 0 )(?<!confirming: meeting 0 )(?<!confirmed: meeting 0 )is|sits|falls|"
    r"stands) {adv}(?:scheduled |placed |sitting )?(?:at|in|on)(?! for|[^.;]{1,9}, {adv}{decided})|(?:my|an|the|their|"
    r"another|existing|prior|some) (?:[\w-]+ ){0,2}(?:items?|entry|entries|events?|tasks?|bookings?|reservations?|"
    r"arrangements?|activity|activities|duty|duties|chores?)",
    r"(?:something|things?|stuff|anything(?! (?:in|at|from) slots?[ 0,andortough-]{1,60}(?:is|are|works?|would|will|"
    r"suits?|fits?)\b)) {adv}(?:else )?(?:{set}|on|at(?! all)|in|there|during|for)|{have} {adv}something|(?:{need}|by|"
    r"after|if i|if we) (?:{whom} )?(?:(?:would|could|can|were) )?{adv}(?:to )?{adv}(?:some |one )?(?:{move}|"
    r"clear(?:ing)?|drop(?:ping)?|skip(?:ping)?|break(?:ing)?|sacrific\w+|forgo\w*|free(?:ing)? up|work(?:ing)? around|"
    r"giv(?:e|ing) up|(?:some |one )?moves)|reschedul\w*(?! costs?)",
    r"(?:what|whatever|the (?:thing|one|stuff|plans?)|things|everything|anything|something) (?:that )?(?:i|we|they|he|"
    r"she|{agent})(?:'ve)? {adv}(?:{have}|hold|keeps?|{set})(?= (?:got |{set} |down )?{adv}(?:at|in|on|during|there|"
    r"for)\b)|what(?:'s| is) (?:already |currently |now )?(?=at |in |on |there)|(?:pencill?ed|written) in for myself|"
    r"one in (?:the|my) way|something(?:'s| is| sits| stands| lies| comes)? {adv}(?:in the way|in my way|there|then)|"
    r"(?:{have}|with) (?:one|some|two|both|several) of (?:my|his|her|their|its) (?:things|items|tasks|events|entries)",
    r"(?:mov(?:e|es|ed|ing)|shift(?:s|ed|ing)?|push(?:es|ed|ing)?) (?:my|our|an?|the|their|his|her|one|meeting 0+)|"
    r"something (?:of (?:mine|theirs|his|hers) |else |there )?(?:would|has|have|needs?|will|"
    r"must) (?:have )?(?:to )?(?:move|go|give|shift|yield|be moved)|something (?:\w+ ){0,3}?(?:is|sits|stands|"
    r"lies) (?=at|in|on|there)|(?:holds?|contains?|houses?|keeps?|carr(?:y|ies)) {adv}(?:something|things?|stuff)|"
    r"(?:{have}|prior|existing|other) {adv}(?:other |prior |existing )?plans|(?:would|will|'d) {adv}(?:displace|bump|"
    r"disrupt|shift|move|dislodge)",
    r"meeting #?0+ (?:(?:can|could|will|would|has|have|to|be|moved?|moves|shifted|goes?|comes?|taken|needs?|must|"
    r"should) ){0,3}?(?:out of|off|away from|from|leaves?|vacates?|gives? up)(?= )|occup(?:ied (?=by|with)|ies|y|ying)|"
    r"(?:taken|takes|taking) up by|by meeting 0+|meeting(?=\))|meeting 0+ ?@(?<!confirmed: meeting 0@)(?<!confirmed: "
    r"meeting 0 @)(?= ?0+, (?:meeting 0+ ?@|errand))|meeting(?<=[:~>-] meeting)(?! ?#?0)|something(?:'s|"
    r" is) {adv}{set}|with (?:a|one|some) {move}(?<!ble with a move)|(?:with|by) (?:a|an|my|another|"
    r"existing) (?:[\w-]+ )?meeting|(?:has|holds|contains) (?:a|an|my) (?!low|minor|small|cheap|tiny|free|good|great|"
    r"cost|clear|min|neg|mod|reas)(?:[\w-]+ ){0,2}(?:task|item|entry|event|thing|booking|reservation|activity|chore|"
    r"duty)",
    r"meeting 0+ (?:is )?{adv}(?:takes?|holds?|holding|has|fills?|uses?|blocks?|keeps?)(?= slots?\b| #?0)|"
    r"is meeting 0+(?= ?$| ?[,~(]| for me| on my)|meeting 0+ (?:(?:should|must|has to|needs to|will|can|"
    r"would) )?(?:stays?|remains?|belongs) (?:put )?(?:at|in|on)|(?:leave|keep) meeting 0+ (?:at|in|on)|"
    r"mov(?:e?able){label}|(?:{have}) one (?=(?:at|in|on|with|there|too|as well)\b)|(?:a |some |one )?(?:moves?|{move}|"
    r"shuffle|displacement) (?:is |would be |are )?(?:needed|required|necessary|called for)|not without (?:an?y? |"
    r"some |any )?(?:{move}|touching|moves?|trouble|displacement|effort)|another(?: one)?(?= (?:at|in|for|on) {slot})|"
    r"the (?:other )?one (?=(?:at|in) {slot})|(?:can|could) (?:be )?(?:moved?|shift(?:ed)?){label}|(?:pick|"
    r"drop)(?:p?ing)? (?:[\w']+ ){0,3}(?:up|off) (?:my|our|the|a|his|her|their)",
)

# Making room: an errand must be there, unless the clause names the price, which is then what it says.
EFFORT: Phrases = (
    r"(?:displac|relocat|rearrang)\w+(?! costs?)|reshuffl\w+|shuffl(?:e|ing)|vacat(?:e|ing)|mak(?:e|ing) (?:room|"
    r"space)|(?:mov|shift|relocat|reschedul|bump)ing(?= slots?\b| #?0)|(?:{can}|to|'d) {adv}open (?={slot})",
    r"(?:mov(?:e|es|ed|ing)|shift(?:s|ed|ing)?|push(?:es|ed|ing)?|reorgani[sz]\w+|juggl\w+) (?:that(?! (?:we|slot))|"
    r"this|something|things|everything|stuff|it|them)(?: (?:around|away|aside|out of (?:there|the way)))?|"
    r"{can} be (?:cleared|freed|opened|vacated)|free(?:ing)? (?:it |that |this |slots? 0+ |0+ )?up(?! to\b)",
    r"freeing(?= #?0| slots?| it| that| them)|clear(?:ing)? (?:it|that|this|out|my|the|up|them)|"
    r"clear(?:ing)?(?= slots?\b| #?0)|(?:can|could) {adv}clear|(?:{can}|to) {adv}free(?= slots?| #?0| it| that| this)|"
    r"open(?:ing)? (?:it |that )?up|opening(?= slots?\b| #?0)",
)

# Words that an event's name doesn't have: "I have a gap at 0" is no event.
NO_EVENT = (
    r"(?:free|open|avail\w*|clear|empty|vacant|gaps?|holes?|openings?|windows?|room|space|spare|time|slots?|flexib\w*|"
    r"prefer\w*|questions?|ideas?|feelings?|problems?|issues?|conflict\w*|clash\w*|objections?|concerns?|doubts?|"
    r"chance|options?|reasons?|choices?|costs?|low|lower|cheap|minor|small|easy|price|penalty|suggest\w*|propos\w*|"
    r"spots?|way|lot|bit|look|notes?|requests?|capacity|interest|it|that|this|them|no|not|none|nothing|anything|"
    r"everything|calendar|schedule|agenda|diary|planner|me|us|you|him|them|money|run|word|service|everyone|everybody|"
    r"hands|side|end|answers?|votes?|pick|favou?rite|best|first|only|status|position|commit|plans?|been|gone|put|seen|"
    r"no|yes|hard|say|stake|view|update|news|match|overlap|consensus|agreement|deal|\w+ed|\w+ly|and|or|to|is|are|you|"
    r"your|agents?|meetings?|both|either|neither|problems?|difficult\w*|trouble|luck|another|movable|block)"
)
NAME = rf"(?:(?!{NO_EVENT}\b)[a-z][\w'&-]*)"
PLACED = r"(?= (?:already |also )?(?:at|in|during|on) (?:both )?{slot})"

# An event without a calendar word: the slot is occupied.
EVENT: Phrases = (
    rf"(?:have|has|had|'ve|got|there's|there is|attend|attending|hosting|in) (?:got |already |also )?(?:a|an|my|our|"
    rf"some|the|his|her|their) {NAME}(?: {NAME}){{0,3}}{PLACED}",
    rf"(?:have|has|got) (?:got )?{NAME}(?: {NAME}){{0,2}}{PLACED}",
    rf"(?:my|our|his|her|their) {NAME}(?: {NAME}){{0,2}} (?:is|are|sits|falls|starts|runs|happens|takes place){PLACED}",
    r"lunch|brunch|breakfast|dinner|gym|yoga|dentist|doctor(?:'s)?|therapy|physio\w*|workout|haircut|rehearsal|recital|"
    r"wedding|funeral|concert|interview|webinar|workshop|seminar|lecture|stand-?up|check-?up|childcare|babysitting|"
    r"massage|exam|(?:a|an|my) (?:\w+ )?(?:call|lesson|shift|party|trip|visit|session|flight)",
)

# Positive: the target is free there, or can do it.
POSITIVE: Phrases = (
    r"{can} {adv}(?:take|fit|do|host|have|hold|attend) (?:in )?(?:a|any|this|our|the) meeting(?= (?:in |at |on ))|\^|"
    r"(?:good|fine|ok|okay|great|possible|clear|acceptable|yes|can|green){label}|yes(?= (?:for|on|at) {slot})|"
    r"yes(?<=0 yes)|yes(?<=0[:,=] yes)|ok(?:(?<=0 ok)(?= #?0)|(?<=[(]me ok)|(?<=, me ok)|(?<=me: ok))|"
    r"yes(?:(?<=0 [-=] yes)|(?<=me yes)|(?<=me: yes)|(?<=said yes)|(?<=says yes)|(?<=is yes)|(?<=was yes))|"
    r"definite yes|(?:gaps?|holes?|openings?|windows?)(?: (?:is|are))?{at}|working(?= ?$| ?[,:~(]| too| as well)|"
    r"(?:happy|content|satisfied|comfortable) with|blank|idle|clean(?! up)|left(?<=[es] left)(?= for me| ?[:~])|"
    r"(?:a )?clear run|at your service|within reach|mine to (?:give|offer|fill)|agreeable|amenable|(?:my|their|his|her|"
    r"our|{agent}'s) (?:approval|blessing|consent|okay|ok|support|nod)|on for (?=slots?|#?0|it)|(?:can|could|"
    r"(?:willing|prepared|ready|able|happy|glad|content|pleased|delighted|fine|okay|ok|free) to) {adv}{do}",
    r"{can} {adv}(?:accept|cope|live with|squeeze|arrange|spare|oblige|say yes|show up|turn up|get there|stretch|pull|"
    r"be (?:there|around|present|in)|(?:make|find) (?:the )?time|make it(?= (?:to|at|for|in|on)\b))|free|capacity|"
    r"in a position to|around(?= (?:at|in|for)\b)|permits?|allows?|available|availability|avail|open(?:ings?)?|vacant|"
    r"wide-?open|empty|work(?:s(?!-))?|{able}|un(?:book|block|assign|schedul|plann|committ|claim|reserv|engag|occupi|"
    r"encumber|touch|us)ed|untaken|working (?:for|well)|suits?|(?:a |my |an? \w+ )?yes to (?=slots?|#?0|it\b|that\b|"
    r"both|either)|a (?:clear |firm |definite )?yes|up for grabs|(?:in|free|happy|glad|okay|ok|fine|good|cool|"
    r"great) (?:for|with|at|in|on) (?=(?:any |either )?{slot})|up for (?={slot})",
    r"(?:would|will|'ll) {adv}do(?= for (?:me|us|agent)| (?:nicely|fine|just)| ?$)|manages?(?= slots?| #?0| it| that)|"
    r"(?:{have}|leaves?) {adv}to offer|offers?(?= slots?| #?0)|(?:take|pick|choose|use) any of|no (?:reason|word|"
    r"argument) against|(?:{have}|is|find) {adv}(?:some |free )?(?:time|gaps?|windows?|space|room){at}|count (?:me|"
    r"on me|us|{agent}) (?:in )?(?:for|at)|mak(?:e|ing) (?:it|this|that)(?: slots? ?#?0+)? work|count me in|"
    r"in favou?r of|checks? out|untouched|room (?:at|in|for|on)|space (?:at|in|for)|(?:good|fine|ok|okay|"
    r"cool) w/(?= ?{slot})|on board with|poses? no \w+|presents? no \w+",
    r"(?:{be}|comes? up) (?:to be )?{adv}(?:as )?clear(?! that| of)|able (?=(?:at|in|on|for) {slot})|clear(?= (?:at|in|"
    r"on|during|for)\b)|good to go|fits?|(?:good|fine|great|perfect|ok|okay|convenient|acceptable|comfortable|cool|"
    r"happy|alright|possible|ideal)(?= (?:for|with|by|to) (?:me|us|both|all|everyone|myself|agents?|you|them|using|"
    r"taking|doing|slots?|0)\b)|{be} {adv}(?:good|fine|great|perfect|okay|ok|possible|convenient|acceptable|chill|"
    r"alright|splendid|lovely|wonderful|excellent|brilliant|awesome|cool|all yours|at your disposal)",
    r"(?:{be}|as|my|only) {adv}(?:(?!no|hard|bare|eas|cheap|least|flex)\w+ )?(?:options?|possibilit(?:y|ies)|"
    r"openings?)|(?:my|their|his|her) (?:only |best |one |last |next )?(?:gap|window)(?!s)|accommodates?|{not} mind|"
    r"(?:can|could) be (?:arranged|done|managed|accommodated|taken|used|offered|had)|all right (?=with|for|by|at)|"
    r"all right(?= ?$| ?[,~(])|good(?<=[0:=>~-] good)|clear(?<=[0:=>~-] clear)|options? (?=from my|on my)|"
    r"go(?<=0 go)(?= ?$| ?[,~)(])|still (?:ok|okay|fine|good|on|possible)(?= ?$| ?[,~(]| for)|(?:good|fine|ok|"
    r"okay) here(?= ?$| ?[,:~(])|good(?<=all good)|clear(?<=all clear)|on(?<=0 is on)(?= ?$| ?[,~)])|"
    r"clear(?<=entirely clear)|fine(?<=[0:=>~-] fine)|ok(?<=[0:=>~-] ok)|okay(?<=[0:=>~-] okay)|"
    r"great(?<=[0:=>~-] great)|gap(?<=[0:=>~|-] gap)|possible(?<=0 possible)|acceptable(?<=0 acceptable)|"
    r"convenient(?<=0 convenient)|in(?<=0 in)(?= ?$| ?[,~)|(])|in(?<=[0e] is in)(?= ?$| ?[,~)|(])|"
    r"perfect(?<=[0:=>~-] perfect)",
)

# Phrases that read like an errand or a refusal and say the opposite: they count as positive, whatever comes before.
CLEAR: Phrases = (
    r"{none} (?!{placed}){mods}(?!{placed})(?:{item}|{move}{it}|{change}{it}(?: (?:whatsoever|at all))?(?: (?:to|in|"
    r"of) (?:my|our|the|any) {mods}(?:{item}|arrangements?|day))?|{clash}(?! to (?:clear|move|free|shift|open|vacate|"
    r"resched)))(?:(?: ?,| or| and| nor)+ (?:any |other )?(?:{item}|{move}|{clash}))*(?: {adv}(?:needed|required|"
    r"necessary|involved|called for))?(?! (?:at|in) {slot} (?:is|are) )|(?:{item}|conflict)-free",
    r"(?:freed|cleared|opened)(?: (?:it|that|this))?(?: up)?|(?:moved|dropped|cleared|cancell?ed) (?:my |the |"
    r"an )?{noun}(?=\))|{noun} (?:(?:was|got|has been|is|just) ){1,2}(?:cancell?ed|dropped|called off)",
    # A need, an item or an obstacle denied.
    r"{not} (?:of (?:them|these|those) )?{adv}(?:would |will |do |does )?{adv}(?:have |got |hold |contain |see |"
    r"foresee |expect |find |anticipate )?{adv}(?:an?|any|another|much of an?) (?:[\w-]+ ){0,1}?(?:{item}|{clash}|"
    r"thing)(?: (?:with|against|at|in|for(?= {slot})|on)| \w+ed)?",
    r"{not} (?:of (?:them|these|those) )?(?:would |will |do |does )?{adv}(?:{need}[^,;:()~]{0,20}?(?:{move}|touch\w*)|"
    r"(?:touch|affect|upset|budge|dis(?:turb|rupt|place))(?= (?!{placed})(?:[\w']+ ){0,3}?(?:{item}|any|a thing))){it}",
    r"{not} be {move} (?:an?|any|one) {mods}{item}|{not} {adv}(?:need (?:freeing|clearing|any|much)|"
    r"(?:be )?{adv}(?:(?<!don't )(?<!do not ){clash}|clash\w*|collid\w+|interfer\w+|occupied|taken|booked))|(?:nobody|"
    r"no one|none of us|neither of us|everyone) (?:has|have) (?:a |an |any |no ){clash}(?: with| at)?",
    r"(?:nobody|no one|none of us|neither of us) (?:[\w']+ ){0,4}?(?:{need}|would) (?:to )?(?:{move}|clear\w*){it}|"
    r"(?:keep|keeps|keeping|leave|leaves|leaving) (?:[\w']+ ){0,3}?(?:{item}|everything) (?:[\w']+ )?(?:where|as|"
    r"in place|intact|untouched|alone|put)(?: (?:they|it) (?:are|is|stands?))?",
    r"{item} (?:{can} |would |may |all )*(?:stay|remain)s? (?:where|as|put|in place|untouched|intact)|(?:need(?:n't|"
    r" not)|no need (?:for(?: any)?|(?:for {whom} )?to)) (?:{move}|touch){it}|(?:(?:would|will|'d|"
    r"{need})(?: to)? )?(?:{move}|give up|lose|touch) (?:nothing|(?:no|zero) {mods}{item})",
    # Nothing there.
    r"nothing (?:stands? |is |gets? )?(?=in (?:my|the|our|their|{agents}) way)|(?:none|neither|nothing) of my {item}|"
    r"nothing(?: at all| whatsoever| there)?(?= ?$| ?[,~)(])|nothing (?!else in (?:my|the|our) (?:day|calendar|"
    r"schedule))(?:else )?(?:(?:is|'s|was|sits|stands|lies|falls|happens|of mine|whatsoever|"
    r"at all) ){0,2}{adv}(?:{set}|on|at|in|there|during|for(?= slots?| #?0))",
    r"(?:{have}|contains?|shows?|with) {adv}nothing(?! to| against| left| free| open)(?: {adv}(?:{set}|"
    r"on|there))?(?: (?:that )?(?:i|we|they|{agent})(?:'d| would| will)? {need} (?:to )?{move})?|"
    r"nothing (?:to )?(?:prevents?|keeps?|stops?|blocks?|hinders?|bars?) (?:me|us|{agent})(?: (?:from|at|in|on))?|"
    r"(?:nothing|no objections?|not anything|n't anything|{not} (?:\w+ )?anything) (?:[\w']+ ){0,2}against",
    r"n't (?:much )?anything(?: {adv}(?:on|{set}))?{at}|{not} {adv}(?:have|got|hold(?:ing)?|"
    r"contain(?:ing)?) {adv}(?:anything|a thing)(?: {adv}(?:{set}|on))?",
)

# Cost-qualitative: moving what is there costs little, or a number.
COST: Phrases = (
    # A price in numbers.
    r"(?:it's|it is|is|are|would be|takes|for|at) {adv}0+ (?:points?|units?|credits?)|00*[- ]cost|cost(?:s|"
    r"ing)?(?: {adv}(?:me|us|them|him|her|only|just|merely|exactly|roughly|nearly|almost|is|of|about|around|at|"
    r"would be|{agent}(?= ))(?!\w))* ?[:=-]? ?0+\b|(?:costs?|price|charge) (?:(?:for|to|on) (?:me|us|my (?:side|end)|"
    r"them|{agent})|(?:for|of|at|to (?:use|take|clear|free|open up|move))(?= slots?\b| #?0| (?:us|mov|clear|free|"
    r"tak)ing))|costs?(?= (?:are|per slot)| ?: ?slots?\b)",
    r"(?:pay(?:s|ing)?|paid|charge[sd]?|quote[sd]?|priced at|price(?: tag)? (?:of|is)|set(?:s|ting)? (?:me|us|"
    r"them) back|set agent 00? back|comes? (?:out |in )?(?:to|at)|worth|rated|score[sd]?|valued at|expensive(?: at|"
    r",)) (?:about |a (?:cost|price|total) of )?0+\b|(?:carr(?:y|ies)|ha(?:ve|s)|at|bears?|with|for|against|"
    r"involves?) (?:an? |the )?(?:\w+ )?(?:cost|price|penalty) (?:tag )?(?:of |is |: ?|= ?)?0+\b",
    # Little or no burden, and little that is moved.
    r"(?:{few}|{none}|zero|no)[- ](?!{placed}){mods}(?:{few}[- ])?{burden}(?: (?:on|to|for|"
    r"of) (?!{placed}){mods}{item})?|{few} {mods}(?:{move}|{change})|(?:{few}|{none}) {mods}{clash} to (?:clear|move|"
    r"free|shift|open|vacate|reschedule)|(?:hardly|barely|scarcely|minimally|slightly|only just|not much|{not} really|"
    r"{not} {adv}) {adv}(?:bother|hurt|affect|touch|trouble|cost|matter|impact|inconvenienc|burden|{move})\w*(?: (?:me|"
    r"us))?(?: (?:much|anything|a lot))?|{not} (?:costly|expensive|disruptive|(?:much of |"
    r"(?:be )?)an? (?:\w+ )?(?:deal|{burden}))",
    r"without (?:much|great|any great|undue|too much) (?:{clash}|{burden})|(?:costs?|takes?|bothers) (?:(?:me|"
    r"us) )?(?:almost |next to |very |practically |only )?(?:nothing|little|least)|(?:simpl[ey]r?|quick(?! (?:relay|"
    r"note|update|question|recap|summary|word|check|reply|answer))|trivial|straightforward|painless|(?:is|be|"
    r"'s) nothing(?<!there's nothing)(?<!there is nothing))(?: to (?:{move}|clear|free up))?|a (?:breeze|cinch|doddle|"
    r"snap)|no big deal|small (?:price|ask)|(?:cost)-?free|wiggle room|negotiable|nudged?|low[- ]friction",
    # What moves easily.
    r"(?:least|less) (?:costly|expensive|disruptive|painful)|{not} mind (?=(?:clear|mov|free|shift|rearrang|open|"
    r"giv)\w*ing)|can give|minor|trivial|negligible|minimal|cheap(?:er|est|ly)?|inexpensive|eas(?:y|ier|iest|ily)|"
    r"flexible|flexibility|mov(?:e?able)|adjustable|effortless\w*",
    r"(?:can|could|happy to|willing to|able to) (?:be )?{adv}(?:moved?|shift(?:ed)?)",
)

# Proposal: the target puts the slot forward, or settles on it.
PROPOSAL: Phrases = (
    r"request(?:s|ed)?(?= that| slots?)|offer(?:ed|ing)(?! to\b| you| me| us)|booked (?=slots? ?#?0+ for)|"
    r"likes?(?= slots?)|(?:take|grab)(?= slots?\b)|(?:decision|verdict|final|done|deal|sold)(?= ?[:,~])|go(?:ing|"
    r"es)? along with|keen on|(?:backs|backed|endorse[sd]?) (?={slot})|i move (?:that|to|we)|(?:plac|writ|mark|not|"
    r"enter|pencil|hold)ing (?:down |in )?(?=slots?|meeting|it|us)|been (?:scheduled|set)(?= (?:for|at|in|to) {slot})|"
    r"(?:consider|deem|call)(?= slots? ?#?0+ (?:as )?{decided})|meeting 0+ (?:is|are|was|has been|gets|"
    r"got) {adv}(?:booked|reserved|blocked)|(?:us|it|meeting 0+) down (?=for|at|in|as)|mark(?:ed|"
    r"ing)? (?=slots? ?#?0+ (?:as|for) (?:meeting|our))|(?:is|are|'s) (?:hereby )?(?:decided|settled|agreed|confirmed|"
    r"final|done)|(?:i'd|i would|i could|we could|i can|we can|i'll) {adv}(?:consider|call it)",
    r"(?:i'll|i will|i'm|i am|we'll|we will|we're|let me|let's|going to) {adv}(?:block(?:ing)?|hold(?:ing)?|reserv(?:e|"
    r"ing)|book(?:ing)?)|(?:blocked|booked|reserved|taken|fixed|filled|claimed|locked|pencilled|set aside|"
    r"earmarked) {adv}for (?:us|it|this|that|the meeting|our meeting|meeting 0+)|a go|fixed(?= ?[:,~] ?slot)|(?:second|"
    r"third|next|other|main) choices?|prefer\w*|suggest\w*|propos\w*|recommend\w*|favou?r\w*|nominat\w+|vot(?:e|"
    r"ing) for|push(?<!can push)(?<!could push)(?:ing)? for|my (?:vote|pick|choice|favou?rite|preference)s?|0(?:st|nd|"
    r"rd|th) (?:choice|pick|preference|favou?rite)|fall-?back|back-?up|partial to|decid(?:e|ed|ing) on|make it (?=slot|"
    r"0)|second (?=slot)|i'm for (?=slot)|i'?d say|put forward|c[ao]me up with|(?:entered|noted|placed|recorded|logged|"
    r"added|inserted) (?:down |in )?(?:meeting 0+|it|us|the meeting) (?:down )?(?=at|in|for|under|on)|"
    r"counter(?:-?(?:propos|offer)\w*|(?= ?:))",
    r"aim(?:s|ing)?|target(?:ing)?|lean(?:s|ing)?(?! away)(?: towards?)?|opt(?:s|ing)?(?: for)?|settle[sd]?|settling|"
    r"confirm\w*|lock(?:ed|ing|s)?(?: (?:it|us|this|that|things))?(?: in)?|finali[sz]\w+|agree[sd]?|concurs?|agreement|"
    r"accept(?:s|ed|ing)?|commit(?:ted|ting)? to|let'?s|let us|shall we|go(?:ing|es)? (?:ahead )?(?:with|for)|"
    r"went with|stick(?:ing)? (?:with|to)|(?:move|moving|proceed|proceeding|push|moves) (?:forward|ahead|on)|"
    r"proceed(?:ing|s)?(?: with)?|use|using|(?:i'll|we'll|(?:i|we) (?:will|shall)|i'd|we'd|to|happy to) (?:take|do|use|"
    r"book|put|set|hold|keep|grab|pick|choose|reserve|place|have(?! to))|pick(?:ed|ing)?(?! up| me up)|choos(?:e|ing)|"
    r"chose|select(?:ed|ing)?",
    r"reserv(?:e|ed|ing)|book(?:ing)?|booked (?:us|it|the|this|meeting)|schedul(?:e|ing) (?=it|this|the|that|our|us|"
    r"meeting|for|at|in|on|slot|0|around)|scheduled (?:it|us|this|the meeting|our meeting|meeting 0+)|"
    r"(?:all )?set(?:ting)? (?:us |it |this |meeting 0+ )?(?:for|to|at|on|in)|(?:put|place|pencil|slot)(?:ting)? (?:us|"
    r"it|this|the meeting|our meeting|meeting 0+|me|them)(?: down| in)?|best|better|ideal|(?:first|top|"
    r"preferred) choices?|would like|'d like|'d love|want(?:s)?|(?:my |gets my |has my )?vote(?:s|"
    r"d)?(?! ?:? ?0-0)(?: goes(?: to)?)?|(?:rather|sooner) (?:have|take|do|go|use|see|meet|pick)|land(?:s|ed|ing)? on|"
    r"see you",
    r"with (?:you|{agent}) on (?={slot})|sign(?:ed|s|ing)? off on|consensus|converged?|sealed|(?:it's|we have|"
    r"that's) a deal|done deal|winner|(?:we're|we are|it's) on for|(?:we'll|we will|to) meet|float|it(?:'ll| will|"
    r" shall) be|pencil(?:l?ed|l?ing)?|we (?:take|use|do|pick|meet|book|hold|have it)(?= (?:at |in |on )?slots?\b|"
    r" #?0)|(?:goes|lands|belongs) (?:in|into|to|at|on)(?= slots?)|final|official|fixing(?= {slot})|fix(?:ed|"
    r"ing)? (?:it|us|this|meeting 0+|on|for)(?: at| in| for| to| on)?|plan(?:s|ning)?(?: on| for)?|try|"
    r"it is(?<!where it is)(?= ?$| then| ?[,:~(-]| for (?:me|meeting|us))",
)
