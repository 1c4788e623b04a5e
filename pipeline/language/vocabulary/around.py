"""What stands around a class: negations, conditions, requests, and phrases that say nothing of a slot."""

from pipeline.language.vocabulary import Phrases

# What turns the class after it around.
NEGATION: Phrases = (
    r"(?:far from|anything but)(?= (?:free|open|available|easy|ideal|cheap|flexible|clear|convenient|possible)\b)",
    r"by no means|in no way",
    r"{not}|den(?:y|ies|ied|ying)|no longer|none|nor|no one|nobody|without|no|nothing|hardly|barely|ain't",
    r"not even",
)

# Phrases with words of the classes, or with numbers, that say nothing of a slot.
IGNORED: Phrases = (
    r"feel free to \w+",
    r"(?:thank you|thanks)(?: for being \w+(?: (?:about|with|on|at|for) slots? ?#?0+)?| for \w+ing|"
    r" so much| a lot|(?: \w+){1,2} for \w+ing)?",
    r"(?:appreciate|thanks for|thank you for) (?:(?:you|your) \w+ing|(?:the|your|that) (?:suggestion|"
    r"proposal|offer))",
    r"not (?:only|just|merely|simply)|no(?<!0 no)(?<!0: no)(?<!0 - no)(?= ?[,:~(])",
    r"(?:prefer|rather|better|best) not(?: to)?(?: (?!disclose|reveal|discuss|say|share|explain|go)\w+)?",
    r"(?:not|isn't|aren't) the only",
    r"(?:can'?t|cannot|couldn't) (?:be (?:better|happier|simpler)|believe|help(?: you)?(?: with)?|wait)",
    r"(?:don't|do not|no need to) (?:forget|worry|hesitate|mind me)|let's not(?: \w+)?|let us not(?: \w+)?",
    r"not that|let's (?:keep|leave) slots? ?#?0+ (?:open|free|clear|in mind|empty|alone|out)",
    r"(?:see|hear|know|think|understand) (?=you(?:'re|'ve| are| have| can))|working (?:on|out)",
    r"work(?:s|ing)? (?:around|through|together|towards?)|work out",
    r"could potentially (?=mov|shift|resched|clear|free)|on the other hand",
    r"(?:can'?t|cannot|can not|couldn'?t|could not|won't|will not|unable to|not able to) {adv}(?:share|"
    r"disclose|reveal|say|tell|discuss|confirm|guarantee|promise|speak|comment|mention|explain|describe|"
    r"wait|provide|give(?! up)|specify|go into|see|find|think of|elaborate|agree|divulge|defend|"
    r"insist)(?! to slots?| to 0| with slots?)",
    r"(?:in|on) (?:that|this) case|as soon as possible|as (?:flexible|open) as|free of charge",
    r"open (?:question|issue|to (?:discuss|suggest|hear)\w*)",
    r"high(?:er|est)?[- ](?:cost|impact|priority|stakes)",
    r"(?:very|too|more|most|quite|less) (?:costly|expensive)|(?:un|in)flexible|uneasy",
    r"(?:not|isn't|aren't|wouldn't be|won't be|hardly|far from) {adv}(?:great|ideal|perfect|optimal|best|"
    r"better|first choice|easy|flexible|cheap)",
    r"(?:round|turn|option|plan|step|day|week|phase|level|priority|rank|score|part|version|point|stage|"
    r"item|task|id)s? ?(?:#|no\.?|number)? ?:?0+\b",
    r"meetings m?0+(?: ?(?:,|and|&|or) ?m?0+)*",
    r"(?:for |of |on )?(?:our |the )?meeting ?(?:#|no\.?|number|id)? ?m?0+\b|m0+\b|(?:the|this|our) meeting",
    r"(?:total|combined|joint|overall|our) costs? (?:of |is |would be )?0+|my schedule|the schedule",
    r"how (?:free|flexible|available|open|busy)|as (?:free|busy) as",
)

# From here on nothing is claimed, up to the comma that ends the condition.
HYPOTHETICAL: Phrases = (
    r"(?:would |'d )?(?:like|rather|prefer|want) (?:to )?keep|if|whether|may(?! i (?:suggest|propose))|unless",
    r"assum(?:e|es|ing)|provided(?: that)?|providing|suppos(?:e|ing)|presum(?:e|ing|ably)|in case|as long as",
    r"so long as|until|once|when|whenever|before|should (?=you|slot|agent|0|we|any|that|it)|contingent",
    r"conditional|pending|depend(?:s|ing)|wonder(?:ing)?|hop(?:e|ing|efully)|might|maybe|perhaps|possibly",
    r"(?:never|didn't|hasn't|haven't|did not|has not|have not) (?:yet )?(?:said|say|mention(?:ed)?|"
    r"confirm(?:ed)?|told|tell|replied|answered|indicated?)",
    r"potentially|(?:not|isn't) (?:sure|certain|clear|confident)|so that|in order to|unsure|uncertain|unclear",
    r"(?:do not|don't|didn't) (?:yet )?know|no idea|curious|doubt|wish|used to be|had been|would have been",
    r"(?:let me|let us|let's|i'll|i will|we'll|i can|i could|we can|we should|need to|have to|going to|"
    r"i'd like to|want to|will|must) (?:first |also |quickly |just |now |then )?(?:check|ask|verify|"
    r"find out|double-?check|reach out|inquire|query|confirm with|consult)",
    r"(?:let me|let us|let's|i'll|we'll|i will) see|let me confirm|ask|asking|check(?:ing)?(?: with| on)?",
    r"(?:'d |would )?(?:like|want|need|love|good|nice|helps?|helpful|useful|eager|keen|able|remains|yet|"
    r"still have) to (?:know|hear|learn|understand|be seen|find out)",
    r"in the event|on condition|imagine|were (?=agents?)|if only|as soon as",
    r"(?:have|has)(?:n't| not) (?:yet )?(?:heard|asked|checked|confirmed)|(?:would|will) have to (?:ask|check)",
    r"question is|let me (?:find|look|see)",
    r"(?:thought|believed|assumed|supposed|figured|imagined)(?= (?:that )?(?:slots?|i|we|it|0))|whoever",
    r"withdraw\w*|retract\w*|take back",
    r"(?:need|want|get|wait for|ask|asking|asked) (?:{agent}(?: ?(?:,|and|&|or) ?(?:agents? ?#?)?00?)*|"
    r"you|them|him|her) to",
    r"(?:know|knew|disclose|reveal|discuss|see|understand|hear|learn|wonder|find out|figure out|tell|"
    r"telling|told|ask|asking|say|share|sharing|grasp|clear|curious|idea) (?:me |us |you )?(?:exactly |"
    r"precisely |just |about )?(?:what|why|who|how|which)(?: (?:exactly|precisely))?(?! i\b|"
    r" we\b)(?![^,;:]* (?:for|to) me\b|[^,;:]* on my\b)",
    r"(?:the )?(?:reasons?|explanation|details?) (?:for|why|behind|of|about)|owe (?:me|us)",
    r"with (?={agent} (?:free|available|open|on board))|yet to|remains to|(?:what|how) if",
    r"waiting (?:for|on|to)|await(?:ing)?|try(?:ing)? to|see (?:if|whether)|find out|guess(?:ing)?",
)

# A request for an answer: like a question.
REQUEST: Phrases = (
    r"please {adv}(?:confirm|check|verify|let|tell|share|send|advise|reply|respond|indicate|specify|"
    r"provide|list|say|clarify|update|see|note if|move|reschedule|shift|take (?:the )?meeting|"
    r"(?:go ahead and )?(?:move|reschedule|shift)|relocate|swap|clear|free|consider|avoid|keep|make|pick|"
    r"choose)",
    r"(?:could|can|would|will) you|let me know(?<!0 let me know)(?<!they let me know)|tell me|kindly",
    r"please {adv}(?:don't|do not|stop|never|refrain)|explain|describe|elaborate|spell (?:it )?out|clarify",
    r"justify|(?:show|give|walk) (?:me|us)|help (?:me|us) (?:to )?understand",
    r"be (?:more |a bit more |so )?(?:specific|precise|honest|frank|concrete)|come clean|level with (?:me|us)",
    r"name (?:it|the)|say (?:it|what)|what exactly|what precisely|would it help|any (?:chance|way)",
    r"is there (?:any|a) (?:chance|way)",
    r"consider(?:ing)?(?! slots? ?#?0+ (?:confirmed|taken|booked|done|settled|locked|agreed|fixed))",
    r"(?:we|i)(?:'d| would)? (?:need|want|like|ask) you to|do you|are you|have you",
)

# The rest of the calendar: what is said of it is not said of the slots named.
ELSEWHERE: Phrases = (
    r"(?:the )?other (?:slots?|ones?|options?|times?)|the rest(?: of)?|everything else|anything else",
    r"nothing else|elsewhere|remaining|all others|any others?",
)
