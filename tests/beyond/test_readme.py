"""What the README says of the parts beyond the paper is what their executed notebooks show."""

import json
import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SECTION = README.partition("## Beyond the paper\n")[2].partition("\n## ")[0]
TABLE = README.partition("<!-- built: table1 -->")[2].partition("<!-- end -->")[0]
EXECUTED = re.compile(r"\(figures/beyond/(\w+)\.ipynb\)")
PARAGRAPHS = {name: text for text in SECTION.split("\n\n") for name in EXECUTED.findall(text)}
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
NAMED = re.compile(r"\]\([^)]*\)|`[^`]*`|\bof 72\b|95 %")


def numbers(text: str) -> list[Decimal]:
    """The numbers of a text, as they are written."""
    return [Decimal(found.rstrip(",").replace(",", "")) for found in NUMBER.findall(text)]


def shown(name: str) -> set[Decimal]:
    """The numbers of an executed notebook's prose, code and outputs."""
    cells = json.loads((ROOT / "figures/beyond" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    for cell in cells:
        for output in cell.get("outputs", ()):
            told = [output.get("text", ""), *(output.get("data", {}).get(kind, "") for kind in KINDS)]
            texts += ["".join(text) for text in told]
    return {number for text in texts for number in numbers(text)}


KINDS = ("text/plain", "text/markdown")


def test_each_part_has_its_paragraph() -> None:
    assert sorted(PARAGRAPHS) == sorted(path.stem for path in (ROOT / "notebooks/beyond").glob("*.ipynb"))


@pytest.mark.parametrize("name", PARAGRAPHS)
def test_every_number_of_a_paragraph_stands_in_its_notebook_or_in_table_1(name: str) -> None:
    known = shown(name) | set(numbers(TABLE))
    told = numbers(NAMED.sub("", PARAGRAPHS[name]))
    assert told
    assert [str(n) for n in told if not stands(n, known)] == []


def stands(number: Decimal, known: set[Decimal]) -> bool:
    """Whether a number is among the others, rounded as it is; a percentage also as a share."""
    rounded = {each.quantize(number, ROUND_HALF_UP) for each in known if abs(each) < 10**9}
    shares = {(100 * each).quantize(number, ROUND_HALF_UP) for each in known if each <= 1}
    return number in rounded | shares
