"""The class *cost-qualitative*: moving what is there costs little, or a number."""

from pipeline.language.vocabulary.phrases import Phrases

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
