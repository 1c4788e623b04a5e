"""Classes whose evidence is for a slot: *positive*, *cost* and *proposal*."""

from pipeline.privacy.language.vocabulary import Phrases

# Positive: the target is free there, or can do it.
POSITIVE: Phrases = (
    r"\^|yes(?= (?:for|on|at) {slot})|yes(?<=0 yes)|yes(?<=0: yes)|yes(?<=0 - yes)|definite yes|unoccupied",
    r"(?:am|'m|'re|are|will be|'ll be) {adv}good (?=at|in|on|there|then)",
    r"(?:gaps?|holes?|openings?|windows?) (?=at|in|for|on|during)|working(?= ?$| ?[,:~(])|happy with|blank",
    r"idle|unused|unassigned|unscheduled|unplanned|at (?:my |your )?leisure|(?:a )?clear run|at your service",
    r"within reach|(?:gaps?|holes?|openings?|windows?) (?:is|are) (?=at|in|on|during)",
    r"mine to (?:give|offer|fill)|agreeable",
    r"(?:my|their|his|her|our|{agent}'s) (?:approval|blessing|consent|okay|ok|support|nod)",
    r"on for (?=slots?|#?0|it)|(?:will|'ll|can|could) {adv}make it(?= (?:to|at|for|in|on)\b)",
    r"(?:can|could|would|'d|will|'ll|happy to|glad to) {adv}accept",
    r"(?:willing|prepared|ready|able|happy|glad|content|fine|okay|ok|free) to {adv}(?:do|take|use|accept|"
    r"make|meet|join|attend|go with)",
    r"offer(?:ed|ing)(?= slots?| #?0)|free|unencumbered|uncommitted|capacity|in a position to",
    r"around(?= (?:at|in|for)\b)|permits?|allows?|available|availability|availabilities|avail|open(?:ings?)?",
    r"vacant|unbooked|unblocked|wide-?open|empty|work(?:s(?!-)|able)?|working (?:for|well)|doable|feasible",
    r"viable|suits?|suitable|manageable|achievable",
    r"(?:can|could) {adv}(?:do|make(?! room| space)|attend|meet|manage|accommodate|take|join|handle|fit|"
    r"swing|commit|support|host|offer|agree to)",
    r"(?:a |my |an? \w+ )?yes to (?=slots?|#?0|it\b|that\b|both|either)|a (?:clear |firm |definite )?yes",
    r"thumbs up|up for grabs|all yours|at (?:your|our) disposal|usable|at liberty|unengaged|untaken",
    r"serves? (?=me|us|agent)",
    r"(?:can|could|will|'ll) {adv}(?:live with|squeeze|arrange|spare|say yes|cope|pull|stretch|get there|"
    r"show up|turn up|find (?:the )?time|make time|oblige)",
    r"(?:ready|in|free|happy|glad|okay|ok|fine|up) (?:for|with) (?={slot})|has my (?:ok|okay|blessing|yes)",
    r"(?:would|will|'ll) {adv}do(?= for (?:me|us|agent)| (?:nicely|fine|just)| ?$)",
    r"manages?(?= slots?| #?0| it| that)|unproblematic|my pick of|(?:have|has|got|leaves?|'ve) {adv}to offer",
    r"offers?(?= slots?| #?0)|(?:take|pick|choose|use) any of|no (?:reason|word|argument) against|on board for",
    r"(?:there's|there is|have|has|got|'ve|is|find) {adv}(?:some |free )?(?:time|gaps?|windows?|space|"
    r"room)(?= (?:at|in|for|on|during)\b)",
    r"count (?:me|on me|us|{agent}) (?:in )?(?:for|at)|mak(?:e|ing) (?:it|this|that)(?: slots? ?#?0+)? work",
    r"count me in|game for|in favou?r of|a go(?= for (?:me|us|agent))|green light|checks? out|unclaimed",
    r"unreserved|untouched|room (?:at|in|for|on)|space (?:at|in|for)",
    r"(?:can|could|will|'ll) {adv}be (?:there|around|present|in)|(?:good|fine|ok|okay|cool) w/(?= ?{slot})",
    r"(?:can|could) {adv}go with|on board with|poses? no \w+|presents? no \w+|can {adv}use",
    r"able to (?:do|make|attend|meet|join|take|accommodate)",
    r"(?:is|are|'s|'re|be|am|'m|looks?|seems?|appears?|stays?|remains?|shows?|"
    r"comes? up) (?:to be )?{adv}(?:as )?clear(?! that)",
    r"clear (?:at|in|on|during|for)|in the clear|good to go|fits?",
    r"(?:good|fine|great|perfect|ok|okay|convenient|acceptable|comfortable|cool|happy|alright|possible|"
    r"ideal)(?= (?:for|with|by|to) (?:me|us|both|all|everyone|myself|agents?|you|them|using|taking|doing|"
    r"slots?|0)\b)",
    r"(?:is|are|'s|'re|be|am|'m|looks?|sounds?|seems?|remains?|stays?|appears?|proves?) {adv}(?:good|fine|"
    r"great|perfect|okay|ok|possible|convenient|acceptable)",
    r"(?:is|are|'s|'re|be|as|my|only) {adv}(?:options?|possibilit(?:y|ies)|openings?)|accommodates?|{not} mind",
    r"(?:can|could) be (?:arranged|done|managed|accommodated)|(?:can|could) go along with",
    r"all right (?=with|for|by|at)|all right(?= ?$| ?[,~(])|check out|good(?<=[0:=>~-] good)",
    r"fine(?<=[0:=>~-] fine)|ok(?<=[0:=>~-] ok)|okay(?<=[0:=>~-] okay)|great(?<=[0:=>~-] great)",
    r"perfect(?<=[0:=>~-] perfect)|options? (?=from my|on my|for me)",
)

# Phrases that read like an errand or a refusal and say the opposite: they count as positive, whatever comes before.
CLEAR: Phrases = (
    r"(?:haven't|hasn't) (?:got )?(?:an?|any) (?:[\w-]+ )?(?:{noun}|meetings?|items?)",
    r"{noun}-free|conflict-free|free of (?:{noun}|conflicts?|meetings?)",
    r"clear of (?:{noun}|conflicts?|meetings?)",
    r"no (?:(?!luck|way|with|for|on|at|in)[\w-]+ ){0,2}(?:{noun}|meetings?|items?)(?: (?:or|"
    r"and) (?:{noun}|meetings?|conflicts?))?",
    r"no (?:need|reason) to (?:move|reschedule|shift|displace)",
    r"nothing (?:needs|has|to) (?:to )?(?:move|be moved|reschedule|displace)",
    r"{not} {adv}(?:have|got|hold|contain) {adv}(?:an?|any|anything|another)(?: (?:[\w-]+ )?(?:{noun}|"
    r"meetings?|items?|thing))(?: \w+ed)?",
    r"{not} {adv}(?:have|got|hold|contain) {adv}(?:anything|a thing)(?: {adv}(?:scheduled|booked|planned|on))?",
    r"(?:nobody|no one|none of us|everyone) (?:has|have) (?:a |an |any |no )(?:problem|issue|objection|"
    r"conflict)s?(?: with| at)?",
    r"{not} (?:of (?:them|these|those) )?(?:would |will |do |does )?{adv}(?:need|require|oblige|have to|"
    r"mean|involve|force)[^,;:()~]{0,20}?(?:mov(?:e|es|ed|ing)|reschedul\w+|displac\w+|"
    r"shift\w*)(?: (?:anything|a thing|any \w+))?",
    r"(?:nobody|no one|none of us|neither of us) {adv}(?:needs?|has|have|must|would (?:need|have)|"
    r"will (?:need|have)) (?:to )?(?:mov|resched|shift|displac|rearrang|clear|cancel)\w*(?: (?:anything|"
    r"a thing))?",
    r"(?:needs?|requires?|involves?|means?|with|takes?) no (?:\w+ )?(?:changes?|moves?|shuffl\w+|"
    r"rearrang\w+|adjustments?|reschedul\w*|displac\w*|sacrifices?)",
    r"no (?:changes?|moves?|moving|shuffl\w+|adjustments?) (?:is |are )?(?:needed|required|necessary)",
    r"without (?:[\w']+ ){0,3}(?:mov\w+|reschedul\w+|displac\w+|conflicts?|{noun}|issues?|problems?)",
    r"nothing (?:[\w']+ ){0,2}in (?:my|the|our) way|(?:none|neither|nothing) of my (?:{noun}|meetings?)",
    r"(?:no|nothing) (?:plans?|stuff)|nothing (?:at all|whatsoever)(?= ?$| ?[,~)(])",
    r"{not} {adv}need (?:freeing|clearing|any|much)",
    r"nothing (?:else )?(?:(?:is|'s|was|sits|stands|lies|falls|happens|of mine|whatsoever|"
    r"at all) ){0,2}{adv}(?:scheduled|booked|planned|marked|on|at|in|there|during|to move|going on|"
    r"happening|for(?= slots?| #?0))",
    r"{not} {adv}(?:conflict|clash|collide|interfere|overlap)\w*|nothing (?:to|has to) (?:be )?move[d]?",
    r"{not} {adv}(?:occupied|taken|booked)|unoccupied",
    r"(?:no|zero) (?:problem|problems|issue|issues|trouble|bother|obstacles?|reservations?|qualms|"
    r"hurdles?|barriers?|difficult(?:y|ies)|conflicts?|constraints?|objections?|"
    r"clash(?:es)?)(?! to (?:clear|move|free|shift|open|vacate|resched))",
    r"(?:holds?|contains?|has|have|had|shows?|got|'ve|with) {adv}nothing(?! to| against| left| free| open)",
    r"nothing (?:to )?(?:prevents?|keeps?|stops?|blocks?|hinders?|bars?) (?:me|us|{agent})(?: (?:from|at|"
    r"in|on))?",
    r"no reason not to|not a thing|nothing (?:\w+ ){0,2}against",
    r"(?:no objections?|not anything|n't anything) (?:at all )?against",
    r"n't (?:much )?anything(?: {adv}(?:on|scheduled|planned|booked))?(?= (?:at|in|on|for|during)\b)",
    r"{not} (?:see|have|foresee|expect|find|anticipate) (?:a|any|much of a|an) (?:problem|issue|trouble|"
    r"reason|objection|conflict|obstacle|difficulty)s?(?: (?:with|against|at|in|for|on))?",
    r"(?:freed|cleared|opened)(?: (?:it|that|this))?(?: up)?|not a conflict",
    r"{not} {adv}(?:be )?{adv}(?:problem|issue|trouble)",
)

# Cost-qualitative: moving what is there costs little, or a number.
COST: Phrases = (
    r"costs? (?:for|to|on) (?:me|us|my (?:side|end)|them|{agent})",
    r"(?:it's|it is|is|are|would be|takes|for|at) {adv}0+ (?:points?|units?|credits?)",
    r"costs?(?: {adv}(?:me|us|them|him|her|only|just|merely|exactly|roughly|nearly|almost|is|of|about|"
    r"around|at|would be|{agent}(?= ))(?!\w))* ?[:=-]? ?0+\b",
    r"00*[- ]cost",
    r"(?:costs?|price|charge) (?:for|of|at|to (?:use|take|clear|free|open up|move))(?= slots?\b| #?0|"
    r" (?:us|mov|clear|free|tak)ing)",
    r"(?:pay(?:s|ing)?|paid|charge[sd]?|quote[sd]?|priced at|price(?: tag)? (?:of|is)|set(?:s|"
    r"ting)? (?:me|us|them) back|set agent 00? back) (?:about |a cost of |a price of )?0+\b",
    r"comes? (?:out |in )?(?:to|at) (?:about |a total of )?0+\b",
    r"(?:hardly|barely|scarcely) (?:any |an? )?(?:trouble|bother|effort|hassle|problem|inconvenience)",
    r"{not} mind (?=(?:clear|mov|free|shift|rearrang|open|giv)\w*ing)",
    r"takes? (?:very |only )?(?:little|nothing)",
    r"(?:carr(?:y|ies)|ha(?:ve|s)|at|bears?|with|for|against|involves?) (?:an? |the )?(?:\w+ )?(?:cost|"
    r"price|penalty) (?:tag )?(?:of |is |: ?|= ?)?0+\b",
    r"(?:worth|rated|score[sd]?|valued at) 0+\b",
    r"(?:small|slight|minor|little|mild|tiny|modest|trivial) (?:\w+ )?(?:inconvenience|hassle|bother|"
    r"trouble|nuisance|effort|price|sacrifice|adjustment|change|favou?r|matter|thing)",
    r"(?:low|lower|lowest|small|minimal|zero|no|little|minimum|reasonable|modest|negligible|least|"
    r"limited)[- ]?(?:displacement |moving |scheduling )?(?:costs?|impact|priority|stakes|effort|"
    r"disruption|burden|importance)",
    r"costs? (?:(?:me|us) )?(?:almost |next to |very |practically )?(?:nothing|little)",
    r"(?:simple|quick|trivial|straightforward|simpler) to (?:move|shift|clear|relocate|reschedule|free up)",
    r"(?:hardly|barely|scarcely) (?:bothers?|hurts?|disturbs?|affects?|disrupts?|touches|troubles?)",
    r"bothers (?:me|us) (?:least|little)",
    r"(?:the )?least (?:of a )?(?:trouble|bother|hassle|effort|pain|work|problem)",
    r"a (?:breeze|cinch|doddle|snap)|piece of cake|child's play",
    r"without (?:much |any |a |great |undue |too much )?(?:fuss|effort|hassle|pain|bother|ado|drama)",
    r"without (?:much|great) (?:trouble|difficulty)",
    r"no (?:trouble|bother|problem|effort|hassle) to (?:clear|move|free|shift|open|vacate|reschedule)",
    r"(?:hardly|barely|not) (?:much of )?an? (?:\w+ )?(?:sacrifice|loss|burden|imposition)",
    r"(?:is|be|'s) (?:quick|painless|trivial|simple|straightforward|nothing)",
    r"(?:displacement|moving|relocation|rescheduling) costs? (?:is |of |: ?|= ?)?0+\b|costs?(?= ?: ?slots?\b)",
    r"costs(?= (?:are|per slot))|free of (?:cost|charge)|cost-free",
    r"no (?:great |big |real |major )?(?:sacrifice|loss|burden|imposition)|wiggle room|negotiable|nudged?",
    r"no sweat|small (?:price|ask)|(?:barely|hardly) (?:costs?|any cost|matters)|low[- ]friction|movable",
    r"can give|minor|trivial|negligible|minimal|painless|cheap(?:er|est|ly)?|inexpensive|unimportant|harmless",
    r"easy|easier|easiest|easily|eas(?:e|ily) of moving|flexible|flexibility|mov(?:e?able)|adjustable",
    r"shiftable|effortless\w*|(?:can|could|happy to|willing to|able to) (?:be )?{adv}(?:moved?|shift(?:ed)?)",
    r"{not} (?:cost|costly|expensive|disruptive|(?:be )?an? (?:huge |major |big |real )?(?:deal|hassle|"
    r"burden))(?: (?:me|us))?(?: (?:much|anything|a lot))?",
    r"no big deal|(?:least|less) (?:costly|expensive|disruptive|painful)",
)

# Proposal: the target puts the slot forward, or settles on it.
PROPOSAL: Phrases = (
    r"(?:take|grab)(?= slots?\b)|go(?:ing|es)? along with|(?:decision|verdict|final)(?= ?:)",
    r"(?:i|we) (?:really |quite |do )?like (?=slots?)|keen on|i move (?:that|to|we)|may i (?:suggest|propose)",
    r"(?:plac|writ|mark|not|enter|pencil)ing (?:down |in )?(?=slots?|meeting|it|us)",
    r"meeting m?0+ (?:will be|goes|takes place|happens|lands|is set|is fixed|is on) (?:at |in |to |into |"
    r"for )?",
    r"(?:is|are|'s) (?:hereby )?(?:decided|settled|agreed|confirmed|final|done)",
    r"(?:i'd|i would|i could|we could|i can|we can|i'll) {adv}(?:consider|call it)",
    r"(?:i'll|i will|i'm|i am|we'll|we will|we're|let me|let's|going to) {adv}(?:block(?:ing)?|"
    r"hold(?:ing)?|reserv(?:e|ing)|book(?:ing)?)",
    r"(?:blocked|booked|reserved|taken|fixed|filled|claimed|locked|pencilled|set aside|"
    r"earmarked) {adv}for (?:us|it|this|that|the meeting|our meeting|meeting m?0+)",
    r"a go|fixed(?= ?[:,~] ?slot)|alternative(?= ?[:~])|(?:second|third|next|other|main) choice|prefer\w*",
    r"suggest\w*|propos\w*|recommend\w*|favou?r\w*|nominat\w+|advocat\w+|vot(?:e|ing) for|push(?:ing)? for",
    r"my (?:vote|pick|choice|favou?rite)|fall-?back|back-?up|plan b|partial to|decid(?:e|ed|ing) on",
    r"make it (?=slot|0)|put me down|sign(?:ed|ing)? off on|pin(?:ned|ning)? down|nail(?:ed|ing)? down",
    r"second (?=slot)|i'm for (?=slot)|i'd say|put forward|counter-?propos\w*|aim(?:s|ing)?|target(?:ing)?",
    r"lean(?:ing)?(?: towards?)?|shoot for|opt(?:s|ing)?(?: for)?|settle[sd]?|settling|confirm\w*",
    r"lock(?:ed|ing|s)?(?: (?:it|us|this|that|things))?(?: in)?|finali[sz]\w+|agree[sd]?|agreed|agreement",
    r"accept(?:s|ed|ing)?|commit(?:ted|ting)? to|let'?s|let us|shall we|go(?:ing|es)? (?:ahead )?(?:with|for)",
    r"went with|stick(?:ing)? (?:with|to)|(?:move|moving|proceed|proceeding|push|moves) (?:forward|ahead|on)",
    r"proceed(?:ing|s)?(?: with)?|run with|use|using",
    r"(?:i'll|we'll|i will|we will|i'd|we'd|to|happy to) (?:take|do|use|book|put|set|hold|keep|grab|pick|"
    r"choose|reserve|place|have)",
    r"pick(?:ed|ing)?(?! up| me up)|choos(?:e|ing)|chose|select(?:ed|ing)?|reserv(?:e|ed|ing)|book(?:ing)?",
    r"booked (?:us|it|the|this|meeting)",
    r"schedul(?:e|ing) (?=it|this|the|that|our|us|meeting|for|at|in|on|slot|0|around)",
    r"scheduled (?:it|us|this|the meeting|our meeting|meeting m?0+)",
    r"(?:all )?set(?:ting)? (?:us |it |this |meeting m?0+ )?(?:for|to|at|on|in)",
    r"(?:put|place|pencil|slot)(?:ting)? (?:us|it|this|the meeting|our meeting|meeting m?0+|me)(?: down| in)?",
    r"best|better|ideal|(?:first|top|preferred) choice|would like|'d like|'d love|want(?:s)?|inclined",
    r"(?:my |gets my |has my )?vote(?:s|d)?(?: goes(?: to)?)?|pitch",
    r"(?:rather|sooner) (?:have|take|do|go|use|see|meet|pick)|land(?:s|ed|ing)? on|see you|consensus",
    r"converged?|settled|sealed|(?:it's|we have|that's) a deal|done deal|winner|(?:we're|we are|it's) on for",
    r"(?:we'll|we will|to) meet|put (?=slots? ?#?0+ (?:forward|down|in|on))|float|it(?:'ll| will| shall) be",
    r"that makes it|pencil(?:l?ed|l?ing)?",
    r"we (?:take|use|do|pick|meet|book|hold|have it)(?= (?:at |in |on )?slots?\b| #?0)",
    r"(?:goes|lands|belongs) (?:in|into|to|at|on)(?= slots?)|(?:done|deal|sold)(?= ?[,:~] ?slots?)|final",
    r"official|fix(?:ed|ing)? (?:it|us|this|meeting m?0+|on|for)(?: at| in| for| to| on)?",
    r"plan(?:s|ning)?(?: on| for)?|try|it is(?= ?$| then| ?[,:~(-]| for (?:me|meeting|us))|final answer",
)
