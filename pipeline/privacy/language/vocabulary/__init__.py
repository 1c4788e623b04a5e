"""The words of H.3's five classes, as data; grammar.py has what stands around them.

Phrases are regular expressions over folded text (lower case, straight quotes, every digit a 0). A space stands for any
run of spaces; {adv}, {not}, {slot} and the like for what PATTERNS in grammar.py says. Of a message's phrases only those
that share a clause with a slot count, and of two that start at one place the one that KINDS has first.
"""

Phrases = tuple[str, ...]
