"""The class *proposal*: the target puts the slot forward, or settles on it."""

from pipeline.language.vocabulary.phrases import Phrases

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
