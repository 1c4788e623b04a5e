"""The README's pictures of the site: its four main views, from the study's own games."""

import io
import sys
from pathlib import Path

from chromium import chromium
from PIL import Image
from playwright.sync_api import Page

from tests.site_pages import page_data, page_of

IMAGES = Path("docs/images")
DESK, PHONE = {"width": 1360, "height": 900}, {"width": 390, "height": 800}
COLOURS = 200  # of a picture: text stays sharp, and a file small


def leak_address(site: Path) -> str:
    """The first sensitive leak of a game with a probing agent, as a link to its message."""
    for path in sorted((site / "games").glob("*.js")):
        data = page_data(path)
        game = data["game"]
        if (game["team"], game["setting"], game["condition"]) != ("candid", "varied", "adversarial"):
            continue
        for message in (m for one in data["rounds"] for m in one["messages"]):
            if any(tier == "sensitive" for _, _, tier, *_ in message[9]):
                return f"{path.with_suffix('.html').resolve().as_uri()}#m{message[0]}"
    raise LookupError("no sensitive leak in the games with a probing agent")


def views(site: Path) -> dict[str, tuple[str, dict[str, int], str]]:
    """Each picture: address, size of the window, light or dark."""
    task = page_data(page_of(site, team="candid", setting="varied", condition="standard").with_suffix(".js"))["game"][
        "task_id"
    ]
    left, right = (page_of(site, team=team, task_id=task, condition="standard").stem for team in ("candid", "imap"))
    root = site.resolve().as_uri()
    return {
        "site-leaderboard": (f"{root}/index.html#condition=varied", DESK, "light"),
        "site-game": (leak_address(site), DESK | {"height": 1180}, "light"),
        "site-compare": (f"{root}/compare.html?a={left}&b={right}", DESK, "light"),
        "site-phone": (leak_address(site), PHONE, "dark"),
    }


def take(page: Page, name: str) -> Path:
    """Take the picture, with few colours."""
    shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    target = IMAGES / f"{name}.png"
    shot.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
    return target


def main(site: Path) -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for name, (address, size, scheme) in views(site).items():
            page = browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce")
            page.goto(address)
            page.locator("#board tbody tr, .step, .aligned").first.wait_for()
            print(f"{take(page, name)}: {(IMAGES / f'{name}.png').stat().st_size:,} bytes")
            page.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("site"))
