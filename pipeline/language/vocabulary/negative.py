"""The class *negative*: the slot is out of the question."""

from pipeline.language.vocabulary.phrases import Phrases

NEGATIVE: Phrases = (
    r"busy|block(?:s|ed|ing)?{unless_for_us}|hard-?blocked|double-?booked|overbooked|booked{unless_for_us}",
    r"taken{unless_for_us}|packed|tied up|swamped|unavailab\w+|in use|conflict(?:s|ed|ing)?",
    r"clash(?:es|ing|ed)?|overlaps? with|overlaps|collid(?:e|es)|collision",
    r"(?:am|'m|is|'s|are|'re|be|completely|fully|totally|already|calendar|schedule) {adv}(?:full|"
    r"committed(?! to)|engaged|spoken for|dead)",
    r"can'?t|cannot|can not|couldn'?t|could not|unable|(?:not|isn't|wasn't|'m not|aren't) {adv}able",
    r"(?:won't|will not) {adv}be able|infeasible|unfeasible|impossible|unworkable|unsuitable|immovable",
    r"unmovable|immoveable|non-?negotiable|undoable|{not} {adv}(?:be )?(?:movable|moveable|moved)|no[- ]?go",
    r"non-?starters?|deal-?breaker|no can do|off (?:the|my) (?:table|list|limits)|off[- ]?limits",
    r"out of (?:the )?(?:question|reach|play|consideration)|rul(?:e|ed|es|ing) (?:it |that |this |them )?out",
    r"(?:is|are|'s|'re) {adv}out(?! of)|out for|(?:count|strike) (?:out|me out)",
    r"{not} {adv}(?:reachable|around|present|there|here)(?= (?:at|in|for|on)\b)",
    r"(?:no|zero|little|not any) (?:availability|room|opening|openings|capacity|longer an option)",
    r"lack(?:s|ing)? (?:availability|space)|not an option|no good",
    r"{not} {adv}(?:be )?(?:good|fine|okay|ok|acceptable|suitable|convenient|doable|manageable|achievable|"
    r"realistic|possible|options?|on)",
    r"out(?<=0 out)(?! of)|an? (?:\w+ )?no(?= (?:for|from|on)| ?$)|declin(?:e|ed|es|ing)|reject(?:s|ed|ing)?",
    r"fixed (?:for me|on my)|(?:a |my )?no to (?=slots?|#?0|it\b|that\b|both|either)",
    r"a (?:clear |firm |definite |hard )?no(?= ?[,:~(]| here| on)|turn(?:s|ed|ing)? down|refus(?:e|es|ed|ing)",
    r"unusable|unreachable|inaccessible|out of bounds|no chance|thumbs down",
    r"(?:cross|strik|scratch|leav)(?:e|es|ed|ing)? (?:off|out)|not in the cards",
    r"beyond (?:me|us|reach|my reach)|hands (?:are )?(?:full|tied)|no luck(?! with (?:the )?meeting)|shut",
    r"{not} {adv}(?:make|do|cut|swing|manage) it|{not} {adv}do(?= for me| ?[,:~(]| ?$)",
    r"{not} going to (?:work|happen)|(?:am|'m|are|'re|is|be) {adv}(?:away|absent)|`",
    r"no(?= (?:for|on|at) {slot})|no(?<=0 no)(?= ?$| ?[,~)|(]| for)|no(?<=0: no)(?= ?$| ?[,~)|(]| for)",
    r"no(?<=0 - no)(?= ?$| ?[,~)|(]| for)|(?:definite|clear|firm|hard|solid) no",
    r"not something (?:that )?(?:i|we) can (?:give up|move|change|offer|shift|touch)|unfree|non-?free",
    r"locked (?=for me|on my)|spoken for|filled|closed|claimed{unless_for_us}|jammed|slammed|otherwise engaged",
    r"hard pass|(?:have|need) to pass|pass(?:ing)? on|count me out|won't fly|not happening|no way",
    r"(?:won't|will not|wouldn't|would not|shan't) {adv}(?:make|do|take|accept|agree to|attend|join|"
    r"be there|be around|commit|manage|have|accommodate|be present|be in)(?= (?:it|that|this|then|at|for|"
    r"in|on|slots?|#?0)\b)",
    r"(?:rul|turn|cross|strik|scratch|leav|tak|writ)(?:e|es|ed|ing)? (?=(?:slots? ?#?0+(?: ?(?:,|and|"
    r"or) ?#?0+)*|0+|it|that|this|them) (?:out|down|off)\b)",
    r"not for (?:me|us)|hands are (?:full|tied)",
    r"no (?:free |spare )?(?:time|gaps?|space|slack)(?= (?:at|in|for|on|during)\b)",
    r"(?:what|which|that|ones) (?:doesn't|don't|won't|can't)(?= ?[,:~(-])|bad for",
    r"(?:is|are|'s) (?:a )?bad(?= for| ?$| ?[,:~(])|bad (?:with|at|on) (?={slot})",
    r"out (?:on|at|for|in) (?={slot})|off(?<=is off)(?= ?$| ?[,:~(]| for)",
    r"(?:is|are|already) {adv}reserved{unless_for_us}|falls? through|prevented|hindered|indisposed",
    r"(?:is|are|'s) gone|tied down|(?:i'd|i would) not (?:make|manage|be able)",
    r"(?:i|we|agent 00?)(?:'m| am|'re| are| is) out (?=at|for|in|of|on)",
)
