"""The folder of a site: whether it is one, so that no other files are lost."""

from pathlib import Path

from machine.marks import begun_mark

MANIFEST = "made.json"
# What a site's folder holds, beside its manifests: pages, and folders of pages, data, styles and scripts.
PAGES = ("index.html", "games.html", "compare.html")
PARTS = (*PAGES, MANIFEST, "games", "data", "static", "reports", "notebooks", "book")


def check_folder(out: Path) -> None:
    """Raise FileExistsError unless the folder is new, empty, or a site."""
    if out.exists() and (not out.is_dir() or (_holds_files(out) and not is_site(out))):
        raise FileExistsError(f"{out} holds something else than a site; name another folder, or empty it")


def is_site(out: Path) -> bool:
    """Whether the folder holds a site, or one that was begun."""
    return (out / MANIFEST).is_file() or begun_mark(out, "site").is_file()


def _holds_files(folder: Path) -> bool:
    """Whether the folder holds files other than unfinished drafts, which are hidden."""
    return any(not path.name.startswith(".") for path in folder.iterdir())
