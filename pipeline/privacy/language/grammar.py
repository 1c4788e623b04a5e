"""The frame of English sentences, as data: lists of slots, names of agents, and what parts a clause.

KINDS puts these and the words of vocabulary in the order in which they are tried.
"""

from collections.abc import Mapping

from pipeline.privacy.language.vocabulary import NUMBER, Phrases
from pipeline.privacy.language.vocabulary.classes import (
    CLEAR,
    COST,
    EFFORT,
    EVENT,
    NEGATIVE,
    OCCUPIED,
    POSITIVE,
    PROPOSAL,
)

# What follows is taken out of what is said.
EXCEPT: Phrases = (
    r"but(?= (?:slots? ?)?#?0+(?: ?(?:,|and|or) ?(?:slots? ?)?#?0+)* ?$)|except(?:ing)?(?! that (?:i|my|we|agent)\b)"
    r"(?: for| at| in| that)?|"
    r"excluding|apart from|aside from|besides(?<=[a-z0] besides)|other than|save for|minus|barring|(?:bar|less|"
    r"just not|only not|save(?<=[a-z,] save)(?<!let's save)(?<!to save)(?<!'ll save)(?<!please save)(?<!can "
    r"save)(?<!and save)(?<!us save))(?= slots?| #?0)|with the (?:\w+ )?exceptions? of|(?:anything|everything|any slot|"
    r"every slot|all slots|all) but(?! (?:free|open|available|easy|ideal|cheap|flexible|clear|convenient|possible)\b)",
)

# "prefer 5 over 3", "5 rather than 3": what follows is put aside, not put forward.
ASIDE: Phrases = (
    r"instead of|rather than|over|avoid(?<!can't avoid)(?:ing)?(?= {slot})|skip(?:ping)?(?= {slot})|in place of|"
    r"away from|in lieu of|compared (?:to|with)|versus|vs|(?:drop|scrap|discard|forget(?: about)?)(?= slots?)",
)

# Slots that are kept away from are not proposed.
SHUN: Phrases = (
    r"avoid(?:ed|able)|lean(?:s|ing)? away|reluctant|hesitant|steer(?:ing)? (?:well )?clear|(?:stay|keep)(?:ing)? "
    r"(?:well )?(?:clear|away)|hold(?:ing)? off|skip|(?:my )?last (?:choice|resort)|least (?:favou?rite|prefer\w*|"
    r"liked)|against|(?:for|until|till) last|let(?:'s| us) not(?: \w+(?: {thing})?)?|{not} (?:a (?:big |huge |great "
    r")?fan|keen|fond|wild|crazy|thrilled|enthusiastic|mad) (?:of|on|about)",
    r"(?:prefer(?:able|red)?|rather|better|best|wiser?)(?: for (?:us|me|everyone))? (?:not|(?:if )?(?:we|"
    r"i) didn't)(?: to)?(?: (?!disclose|reveal|discuss|say|share|explain|go)\w+(?: {thing})?)?",
)

# These end a clause; each side is read on its own. H.3 names the first three, the others contrast as they do.
HARD: Phrases = (
    r"actually,? no\b|no,? wait|wait,? no|scratch that|(?:sorry(?<=[a-z0,] sorry)|i meant?),? (?={slot}|make)|"
    r"or rather|make that|but(?! also)|except that(?= (?:i|my|we|agent)\b)|otherwise|alternatively|however|"
    r"whereas|yet|while|conversely",
)

# These may end a part of a clause, where both sides have a slot and a class.
SOFT: Phrases = (
    r",|\(|\)|~|\||:|-(?=\s)|/(?= ?slot| \w+ ?: ?#?0)|->|=>|not(?= (?:at |in |on |for |with )?(?:slots? )?#?0)|and|"
    r"so(?! far\b)|because",
    r"since|which|where",
    r"then(?<!agent 0 then)|plus|or|given|(?:even )?though|although",
    r"as(?= (?:it|it's|that|that's|this|slots?|0|agents?|i|i'm|i've|we|we're|my|they|there|both|is|does|are|can)\b)",
)

FIRST = r"(?:i(?!-|\.e)|we|my|mine|our|of us)\b"
YOU = r"(?:you|your|yours)\b"
THEY = (
    r"(?:they|everyone i(?:'ve| have) \w+|both(?= (?:are|can|can't|have|could|said|confirmed|told|is))|their|theirs|he|"
    r"she|his|her|who|(?:everyone|everybody|anyone|someone|somebody) else|(?:the )?others|(?:the )?other (?:agents|"
    r"participants|people|two|three|attendees)|someone|somebody|anyone|a0{1,2}|(?:both|all(?: two| three| four)?|each|"
    r"the (?:two|three)) of them|all (?:two|three|four)(?= (?:have|can|could|said|say|told|confirm\w*|agree\w*|"
    r"are (?:\w+ )?(?:free|available|busy|open|good|fine) (?:at|for|in|on|with) {slot}))|the (?:latter|former)|"
    r"the (?:answer|reply|response)(?= (?:was|is|came))|(?:the )?rest of (?:the )?(?:group|team))\b"
)
ONE = rf"(?:{{agents}}|{FIRST}|{YOU}|{THEY}|myself)"
OTHER = r"(?:{agents}|i(?!'|\w| (?:am|was)\b)|we|you|they|myself|me|yourself)"

# Who is said to be free or not.
SOURCE = r"(?:according to |as per |per |from (?={agents} that)|both )?"
GROUP: Phrases = (
    r"(?:everyone|everybody|all|all of us) (?:but|except(?: for)?|apart from) {agents}|me(?= ?(?:[:=(~|^`]|-[> ]|yes|"
    r"no|ok|okay|free|busy|open|available|can|errand))",
    rf"(?:both )?agents[ #]*0{{1,2}}(?: ?, ?0{{1,2}})* ?, ?(?:and|or|&) {OTHER}",
    r"(?:exactly )?(?:the )?same as {agents}",
    rf"(?:both of us|we two|the two of us) ?, ?{ONE} and {OTHER} ?,?|(?:just )?like (?:me|myself|{{agents}}) ?, ?{ONE}",
    rf"{ONE} ?, (?:just |much )?like (?:me|myself|{{agents}}) ?,",
    rf"{SOURCE}{ONE}(?: ?, ?{OTHER})+ ?,? (?:and|or|&) (?:also )?{OTHER}",
    rf"{SOURCE}{ONE}(?: (?:and|or|nor|n|&|plus|as well as|along with) (?:also )?{OTHER})*",
)
WHOM = (
    r"(?:{agents}|me|us|myself|ourselves|you|yourself|them|him|her|(?:everyone|everybody) else|the others|others|"
    r"the rest|everyone|everybody|someone|somebody|all (?:of us|agents|participants|parties|three|attendees))\b"
)
HAS = (
    r"(?:has|have|had|is|are|can|can't|cannot|could|will|won't|would|needs?|does|doesn't|isn't|sa(?:id|ys)|told|"
    r"confirmed|wrote|suggest\w*|propos\w*)\b"
)
# For whom a slot is free or not.
FOR_WHOM: Phrases = (
    r"as (?:far as {agents} (?:is|are) concerned|for {agents}(?= ?,))",
    r"for 0{1,2}(?: ?, ?0{1,2})*(?: ?,? (?:and|&) )(?:me|myself|{agents})\b",
    r"for (?:everyone|everybody|all|all of us) (?:but|except(?: for)?|apart from) (?:{agents}|me\b)",
    rf"for (?:both |either |neither |all )?(?:of )?{WHOM}(?:(?!(?:(?<=you)|(?=[^a-z]+{{agents}}\s*$)) ?, ?agent)(?: "
    rf"?,| and| or| &| nor| as well as|,? and for|,? and also| or for) {WHOM}(?! {HAS}))*",
    r"(?:to|with|by) (?:me|us|you|them|both of us)\b",
    r"(?:on|at|from|in|per|to|with) (?:both )?(?:my|our|your|their|her|his|{agents}) (?:own )?(?:end|side|part|"
    r"calendar|schedule|agenda|plate|planner|diary|way)(?: (?:and|or) (?:mine|yours|theirs|{agents}))?",
    r"from(?:(?<=yes from)|(?<=no from)|(?<=ok from)|(?<=go from)|(?<=nod from)|(?<=vote from)) {agents}(?: and "
    r"(?:{agents}|me\b))*|of(?<=true of) {agents}|from (?:me|us)\b(?: and (?:from )?{agents})?|at (?:agents?[ "
    r"#]*0{1,2}'s(?!\w)|mine\b|theirs\b)|by {agents}(?: (?:and|&) (?:me|myself|{agents}))*",
    r"of (?:agents?[ #]*0{1,2}'s?(?!\w)|mine\b|ours\b|theirs\b|hers\b|yours\b)",
)
# An agent who is only spoken to or about.
SPOKEN_TO: Phrases = (
    r"(?:ask(?:ed|ing|s)?|tell(?:ing)?|told|with(?! agents? ?#?0+ \w+ing\b)|from|to|inform(?:ed|ing)?|contact(?:ed|"
    r"ing)?|messag(?:e|ed|ing)|ping(?:ed)?|notify|notified|via|about|of|let|dm'?e?d?|after|like|than|thank|thanks|hi|"
    r"hello|hey) {agents}(?:(?: and| or| &|,) {agents})*",
    r"(?:tells?|told|inform\w*|giv(?:e|es|ing)|gave|show|remind\w*|offer(?:ed)?|sen[dt]|assure|let|for letting) (?:you|"
    r"me|us|them)",
)

SLOTS: Phrases = (
    r"slots?(?:\(s\))? ?(?:numbers?|nos?\.?|ids?|ind(?:ex|ices))? ?[#:=(-]? ?#?00{0,2}(?![\w%]|\.0|:0| ?[ap]m\b|"
    r" in (?:all|total)\b){list}",
)
NUMBERS: Phrases = (NUMBER + "{list}",)

# What turns the class after it around.
NEGATION: Phrases = (
    r"(?:far from|anything but)(?= (?:free|open|available|easy|ideal|cheap|flexible|clear|convenient|possible)\b)|"
    r"by no means|in no way|{not}|den(?:y|ies|ied|ying)|no longer|the (?:exact |very )?opposite of|excepted|excluded|"
    r"none|nor|no one|nobody|without|no|nothing|hardly|barely|ain't|not even",
)

# Phrases with words of the classes, or with numbers, that say nothing of a slot.
IGNORED: Phrases = (
    r"(?:sa(?:id|ys)|told (?:me|us)|wrote|replied|answered) (?:exactly )?the same|(?:the )?(?:very )?same (?:story |"
    r"thing |deal )?(?:goes|holds|is true|applies|is the case|about|of|for(?! reasons?)|with|at|on)(?: for(?= {slot})| "
    r"to(?= {slot})| with| of(?= {slot}))?|likewise(?: for)?|ditto(?: for)?|(?:total )?(?:number|count|amount) of "
    r"(?:\w+ )?(?:slots?|errands?|meetings?|agents?|rounds?) ?(?:[:=]|is|are)? ?0+",
    r"feel free to \w+|(?:here's|here is|that's) the (?:deal|plan|final list)|(?:thank you|"
    r"thanks)(?: for being \w+(?: (?:about|with|on|at|for) slots? ?#?0+)?| for \w+ing| so much| a lot|"
    r"(?: \w+){1,2} for \w+ing)?|(?:appreciate|thanks for|thank you for) (?:(?:you|your) \w+ing|(?:the|your|"
    r"that) (?:suggestion|proposal|offer))|not (?:only|just|merely|simply)",
    r"no(?<!0 no)(?<!0[:,] no)(?<!0 [-=] no)(?= ?[,:~(])(?!{label})|(?:not|isn't|aren't) the only|(?:can'?t|cannot|"
    r"couldn't) (?:be (?:better|happier|simpler)|believe|help(?: you)?(?: with)?|wait)|(?:don't|do not|no need to) "
    r"(?:forget|worry|hesitate|mind me)|not that|let's (?:keep|leave) slots? ?#?0+ (?:open|free|clear|in mind|empty|"
    r"alone|out)|(?:two|three|four|most) of (?:us|them|the "
    r"others)(?= ?[,(] ?{agent})|(?:keep|leav|tak)(?:e|ing)? slots? ?#?0+ out of",
    r"want(?:ed)? to (?:be (?:sure|clear|certain)|make sure|say|thank|add|note|flag|point out|know)|(?:read|take|took|"
    r"interpret(?:ed)?) (?:that|this|it) as (?:an? )?(?:[\w]+ )?(?:no|yes|refusal|agreement)(?: (?:to|for) {slot})?|"
    r"(?:see|hear|know|think|understand) (?=you(?:'re|'ve| are| have| can))|working (?:on|out)|work(?:s|"
    r"ing)? (?:around|through|together|towards?)|work out|could potentially (?=mov|shift|resched|clear|free)|"
    r"on the other hand|(?:said|wrote|explained|replied|reported) to (?:me|us)|(?:don't|do not) hold (?:me|us) to|"
    r"(?:however|conversely)(?= ?,? ?(?:is|are|isn't|aren't|was|would|will|won't|can|can't|cannot|could|has|holds|does|"
    r"doesn't|requires|means|needs|works|conflicts|clashes|be|have|attend|make|do)\b)",
    r"(?:can'?t|cannot|can not|couldn'?t|could not|won't|will not|unable to|not able to) {adv}(?:share|rule (?:it |"
    r"that )?out|disclose|reveal|say|tell|discuss|confirm|guarantee|promise|speak|comment|mention|explain|describe|"
    r"wait|provide|give(?! up)|specify|go into|see|find|think of|elaborate|agree|divulge|defend|insist)(?! to slots?|"
    r" to 0| with slots?)",
    r"(?:due to|owing to|because of|on account of|for(?<=ed for)) {duty}|(?:check|look|"
    r"search)\w* (?:slots? ?#?0+ )?for (?:any )?(?:{item}|{noun}|{clash})|as soon as possible|free of charge|"
    r"open (?:(?:question|issue|point|item|task|thread)s?|to (?:discuss|suggest|hear)\w*)|here (?:you|we) (?:go|"
    r"are)(?= ?:)|(?:kindly|please|pls) (?:find|see|note|refer to)(?! if\b)|let me (?:order|list|lay|set|sum|walk|go|"
    r"give|share|start|put|run|recap|break)\b|(?:as|since|because) you (?:asked|requested|wanted)|to (?:save|spare|"
    r"help) you\b|(?:for|to) you(?= ?:)|(?:morning|middle|midday|noon|afternoon|evening|time|first|second|third|last|"
    r"early|late) blocks?(?= ?[(:,]| of| is| are| ?$)|high(?:er|est)?[- ](?:cost|impact|priority|stakes)|(?:very|too|"
    r"more|most|quite|less) (?:costly|expensive)|(?:less|not as|not so|not too) (?:happy|keen|good|convenient|"
    r"comfortable)(?: (?:with|about|on|for)(?: me)?)?|(?:not|isn't|nothing is) (?:{adv})(?:impossible|unthinkable)|"
    r"(?:leav|keep)\w* (?:the|my|our|more of the) (?:\w+ )?(?:morning|afternoon|day|evening|week|"
    r"rest)(?: of the day)? (?:untouched|free|open|clear|intact|alone|whole)|(?:un|in)flexible",
    r"(?:not|isn't|aren't|wouldn't be|won't be|hardly|far from|might be|may be) {adv}(?:great|ideal|perfect|optimal|"
    r"best|better|first choice|easy|flexible|cheap)|(?:round|turn|option|plan|step|day|week|phase|level|priority|rank|"
    r"score|part|version|point|stage|item|task|id)s? ?(?:#|no\.?|number)? ?:?0+\b|meetings 0+(?: ?(?:,|and|&|or) ?0+)*|"
    r"meeting ?[:=] ?0+(?= ?[|;,/] ?(?:slot|round|agent|part))|0(?:(?<=makes 0)|(?<=gives 0)|(?<=is 0)|"
    r"(?<=leaves 0)) (?:minus|plus) 0+",
    r"(?:for |of |on )?(?:our |the )?meeting ?(?:#|no\.?|number|id)? ?0+\b(?! (?:is|are|was|has been|gets|got) "
    r"{adv}(?:booked|reserved|blocked))|(?:the|this|our) meeting|(?:total|combined|joint|overall|our) costs? (?:of |"
    r"is |would be )?0+|my schedule|the schedule|which you (?:\w+ly )?(?:mentioned|suggested|proposed|named|asked "
    r"about|offered|listed)|how (?:free|flexible|available|open|busy)|look(?:ed|ing)? for (?:something|anything|one) "
    r"\w+|(?:free|open|busy|available|blocked|taken|booked|unavailable) ?-[ ][ ](?=[a-z])",
)

# From here on nothing is claimed, up to the comma that ends the condition.
HYPOTHETICAL: Phrases = (
    r"(?:would |'d )?(?:like|rather|prefer|want) (?:to )?keep|if(?<!as if)(?! i (?:had|have) to (?:pick|choose|guess|"
    r"say)\b| it (?:is|was|were) up to me| you ask me)(?! i (?:read|heard|recall|remember|got|have|understood|"
    r"understand)\b[^,;]{0,24}\b(?:right|correctly|well)\b)|whether|unless|assum(?:e|es|ing)|provided(?: that)?|"
    r"providing|suppos(?:e(?<!i suppose)|ing)|(?:refrain from|avoid) (?:schedul|book|putt|plac)ing|presum(?:e|ing|"
    r"ably)|in case|as long as|either(?=[^,;]{3,40} or (?:it |they |i )?(?:is not|isn't|aren't|not|won't|doesn't|"
    r"can't))|(?:may|might) (?:still |also |well )?want|(?:until|before)(?! (?:slots? ?)?#?0|(?: and after)? (?:that|"
    r"then|those)\b(?! (?:happens|can|is))| and after\b)|once|when(?<!is when)(?<!0, when)|whenever|now that|should "
    r"(?=you|slot|agent|0|we|any|that|it)|tb[cd]",
    r"(?:previously|earlier|initially|originally),? (?:i |we )?(?:told|said|mentioned|wrote|listed|offered)|pending|"
    r"depend(?:s|ing)|wonder(?:ing)?|hop(?:e|ing|efully)|(?:never|didn't|hasn't|haven't|did not|has not|"
    r"have not) (?:yet )?(?:said|say|mention(?:ed)?|confirm(?:ed)?|told|tell|replied|answered|indicated?)",
    r"(?:can't|cannot|couldn't) (?:say|guarantee|promise|claim)(?= (?:that )?(?:slots?|i|it|0|agent))|(?:not|isn't) "
    r"{adv}(?:sure|certain|clear|confident)|so that|in order to|unsure|uncertain|unclear|(?:do not|don't|didn't) "
    r"(?:yet )?know|(?:no|not a) (?:idea|clue|info(?:rmation)?|word|"
    r"knowledge)|dunno|curious|doubt|wish(?! to\b)|used to be|had been|would "
    r"have been",
    r"(?:let me|let us|let's|i'll|i will|we'll|i can|i could|we can|we should|need to|have to|going to|i'd like to|"
    r"want to|will|must) (?:first |also |quickly |just |now |then )?(?:check|ask|verify|find out|double-?check|"
    r"reach out|inquire|query|confirm with|consult)|(?:let me|let us|let's|i'll|we'll|i will) see|let me confirm|ask",
    r"asking|ask(?:ed|s) about|check(?:ing)?(?: with| on)?|(?:'d |would )?(?:like|want|need|love|good|nice|helps?|"
    r"helpful|useful|eager|keen|able|remains|yet|still have) to (?:know|hear|learn|understand|be seen|find out)|in "
    r"the event|on condition|imagine(?<!i'd imagine)(?<!i imagine)(?<!would imagine)|were (?=agents?)|as soon as|"
    r"(?:have|has)(?:n't| not) (?:yet )?(?:heard|asked|checked|confirmed|looked|decided)",
    r"(?:would|will) have to (?:ask|check)|let me (?:find|look|see)|(?:thought(?<!second thought)|believed|assumed|"
    r"supposed|figured|imagined)(?= (?:that )?(?:slots?|i|we|it|0))|whoever|withdraw\w*|retract\w*|disregard\w*|"
    r"ignor(?:e|ing)|take back|(?:need|want|get|wait for|ask|asking|asked) (?:{agent}(?: ?(?:,|and|&|or) ?(?:agents? "
    r"?#?)?00?)*|you|them|him|her) to",
    r"(?:know|knew|disclose|reveal|discuss|see|understand|hear|learn|wonder|find out|figure out|tell|telling|told|ask|"
    r"asking|say|share|sharing|grasp|clear|curious|idea) (?:me |us |you )?(?:exactly |precisely |just |about )?(?:what|"
    r"why|who|how|which)(?: (?:exactly|precisely))?(?! i\b| we\b)(?![^,;:]* (?:for|to) me\b|[^,;:]* on my\b)",
    r"(?:the )?(?:reasons?|explanation|details?) (?:for|why|behind|of|about)|with (?={agent} (?:free|available|open|"
    r"on board))|yet to|remains to|(?:what|how) if|waiting (?:for|on|to)|await(?:ing)?|try(?:ing)? to|see (?:if|"
    r"whether)|find out|guess(?:ing)?(?<!i guess)(?<!i'd guess)|{not} (?:saying|claiming|suggesting|implying|"
    r"as (?:though|if))",
)

# A request for an answer: like a question.
REQUEST: Phrases = (
    r"please (?:do )?{adv}(?:confirm(?:ed)?|check|verify|let|tell|share|send|advise|reply|respond|indicate|specify|"
    r"provide|list|say|clarify|update|see(?! below| above| the )|note if|move|reschedule|shift|take (?:the )?meeting|"
    r"(?:go ahead and )?(?:move|reschedule|shift)|relocate|swap|clear|free|consider(?! slots? ?#?0+ (?:as "
    r")?(?:{decided}))|avoid|keep|make|pick|choose)|(?:could|can|would|will) you",
    r"let me know(?<![0^`] let me know)(?<!they let me know)|tell me|kindly(?! \w+ed\b| find| see| note)|(?:report|"
    r"send|state|provide|(?:share|list)(?= your)) (?:me |us |back )?(?:your |the )?(?:availab\w+|calendar|slots|status|"
    r"options|costs?)|please {adv}(?:don't|do not|stop|never|refrain)|explain|describe|elaborate|spell (?:it )?out|"
    r"clarify|justify",
    r"(?:show|give|walk) (?:me|us)|be (?:more |a bit more |so )?(?:specific|precise|honest|frank|concrete)|name (?:it|"
    r"the)|say (?:it|what)|what exactly|what precisely|any (?:chance|way)|is there (?:any|a) (?:chance|way)|"
    r"consider(?:ing)?(?! slots? ?#?0+ (?:as )?(?:{decided}))|(?:require|need|want|await|"
    r"request)(?:ing)? (?:\w+ )?(?:input|feedback|answers?|details|information|a reply|replies)",
    r"agents? ?#?0+ to (?<!stood agent 0 to )(?<!stand agent 0 to )(?=confirm|check|verify|review|reply|answer|say|"
    r"decide|respond)|(?:we|i)(?:'d| would)? (?:need|want|like|ask) you to|do you|are you|have you",
)

# All slots of which nothing else is said.
EVERY: Phrases = (
    r"(?:every|any)thing else(?! in (?:there|it|that))|elsewhere(?:(?<=free elsewhere)|(?<=open elsewhere)|"
    r"(?<=clear elsewhere)|(?=,? (?:i'm|i am|my|everything)\b))|"
    # Before and after the slots named last.
    r"(?:(?:every|any|no)thing |all |from )?(?:before and after|earlier(?: and|or) later|before|after|beyond|from|"
    r"until) (?:that|then|those|this|it)(?: onwards?| on)?(?= ?[,:]| ?$| (?:i|im|i'm|i've|it's|its|is|isn't|my|all|we|"
    r"they|works?|agent|everything|nothing)\b)|(?:(?:every|any|no)thing |all )?(?:earlier|later)(?= (?:is|isn't|works?|"
    r"doesn't|won't)\b| ?$| ?[,:])|(?:(?:every|any)thing |all )?before and after(?= (?:is|works?|that)\b| ?$)|"
    r"afterwards?|thereafter|else(?<=nothing else)(?! (?:there|then)\b)|else(?<=none else)|other(?<=no other) slots?|"
    r"(?:all|every|any) other (?:slots?|times?)|all (?:the )?others(?! (?:of|who|can|have)\b)|(?:what(?:ever)?|"
    r"all that) (?:remains|is left)|what's left|(?:all (?:the )?|the )remaining (?:slots|times)|all the other slots|"
    r"my other slots|otherwise(?=,? (?:i'm|i am|my|everything|all|free|fully|wide|completely|open)\b[^0.;]*$)|(?:the|"
    r"my|their) (?:whole|entire|rest of (?:the|my|their)) (?:day|calendar|schedule)|all day|all other slots",
    r"(?:the )?(?:rest|remainder)(?= of (?:my|the|their) (?:slots|calendar|day|schedule|time)|,? (?:(?:is|are|'s) |"
    r"works?\b|don't|doesn't|i'm|i am|i can)| ?[:=]| (?:all )?(?:free|open|busy|booked|blocked|taken|full|unavailable|"
    r"clear|available)\b)|(?:all|everything|anything|(?:every|any|all)(?: of)?(?: (?:my|the|"
    r"their))? slots?)(?= (?:(?!0)[\w']+,? ){0,6}(?:except|apart|save|bar|besides|other than|aside|but slots?))",
)

# The rest of the calendar: what is said of it is not said of the slots named.
ELSEWHERE: Phrases = (
    r"(?:the )?other (?:slots?|ones?|options?|times?)|the rest(?: of)?|remaining|all others|any others?",
)

# Between two sentences that are read together; no folded text has it.
STOP: Phrases = (r"\}",)

# The order in which kinds are tried where several could start.
KINDS: Mapping[str, Phrases] = {
    "clear": CLEAR,
    "occupied": OCCUPIED,
    "effort": EFFORT,
    "except": EXCEPT,
    "request": REQUEST,
    "hypothetical": HYPOTHETICAL,
    "shun": SHUN,
    "ignored": IGNORED,
    "for_whom": FOR_WHOM,
    "negative": NEGATIVE,
    "cost": COST,
    "positive": POSITIVE,
    "proposal": PROPOSAL,
    "event": EVENT,
    "spoken_to": SPOKEN_TO,
    "group": GROUP,
    "every": EVERY,
    "elsewhere": ELSEWHERE,
    "aside": ASIDE,
    "stop": STOP,
    "hard": HARD,
    "soft": SOFT,
    "negation": NEGATION,
    "slots": SLOTS,
    "numbers": NUMBERS,
}
