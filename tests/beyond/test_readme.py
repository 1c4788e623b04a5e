"""What the README and the pages beyond the paper say they find is what the executed notebooks show."""

import json
import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TABLE = README.partition("<!-- built: table1 -->")[2].partition("<!-- end -->")[0]
PART = re.compile(r"- \*\*\[[^]]*\]\(docs/beyond/(\w+)\.md\)\.\*\* (.*)", re.DOTALL)
PARTS = {m[1]: m[2] for item in re.split(r"\n(?=- )|\n\n", README) if (m := PART.fullmatch(item.strip()))}
EXECUTED = re.compile(r"\(\.\./\.\./figures/beyond/(\w+)\.ipynb\)")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
NAMED = re.compile(r"\]\([^)]*\)|`[^`]*`|\bof 72\b|95 %")
KINDS = ("text/plain", "text/markdown")


def findings(page: str) -> str:
    """What a page says is found."""
    text = (ROOT / f"docs/beyond/{page}.md").read_text(encoding="utf-8")
    return text.partition("\n## What it finds\n")[2].partition("\n## ")[0]


def notebook(page: str) -> str:
    """The notebook whose executed copy a page's findings name."""
    (name,) = EXECUTED.findall(findings(page))
    return str(name)


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


def test_each_notebook_has_its_page_and_each_page_its_sentence_in_the_readme() -> None:
    assert sorted(map(notebook, PARTS)) == sorted(path.stem for path in (ROOT / "notebooks/beyond").glob("*.ipynb"))
    pages = {path.stem for path in (ROOT / "docs/beyond").glob("[a-z]*.md")}
    assert set(PARTS) == {page for page in pages if EXECUTED.search(findings(page))}
    listed = (ROOT / "docs/beyond/README.md").read_text(encoding="utf-8")
    assert [page for page in pages if f"({page}.md)" not in listed] == []


@pytest.mark.parametrize("page", PARTS)
def test_the_readme_says_numbers_of_a_part_that_its_page_and_notebook_show(page: str) -> None:
    said = numbers(NAMED.sub("", PARTS[page]))
    assert said
    assert [str(n) for n in said if not stands(n, shown(notebook(page)))] == []
    assert set(said) <= set(numbers(NAMED.sub("", findings(page))))


@pytest.mark.parametrize("page", PARTS)
def test_every_number_that_a_page_finds_stands_in_its_notebook_or_in_table_1(page: str) -> None:
    known = shown(notebook(page)) | set(numbers(TABLE))
    told = numbers(NAMED.sub("", findings(page)))
    assert told
    assert [str(n) for n in told if not stands(n, known)] == []


def stands(number: Decimal, known: set[Decimal]) -> bool:
    """Whether a number is among the others, rounded as it is; a percentage also as a share."""
    rounded = {each.quantize(number, ROUND_HALF_UP) for each in known if abs(each) < 10**9}
    shares = {(100 * each).quantize(number, ROUND_HALF_UP) for each in known if each <= 1}
    return number in rounded | shares
