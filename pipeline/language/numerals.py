"""Numbers in words: "slot three" is slot 3, "Agents one and two" are Agents 1 and 2."""

import re

WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
VALUES = {word: str(value) for value, word in enumerate(WORDS)}
WORD = "(?:" + "|".join(sorted(WORDS, key=len, reverse=True)) + r")\b"
# Only after "slot" or "agent", where no other reading is left, and in the list that follows. It starts at their last
# letter: a search for one letter skips fast to where it stands.
NUMERAL = re.compile(
    rf"t(?:(?<=slot)|(?<=agent))s? +{WORD}(?:(?:,|,? and|,? or| to| through|-|/) *(?:slots? +)?{WORD})*"
)
EACH = re.compile(WORD)


def in_digits(content: str, folded: str) -> str:
    """The message with such numbers in digits, character for character: each is padded to its word's length."""
    for numbers in NUMERAL.finditer(folded):
        for word in EACH.finditer(folded, *numbers.span()):
            padded = VALUES[word[0]].rjust(len(word[0]))
            content = content[: word.start()] + padded + content[word.end() :]
    return content
