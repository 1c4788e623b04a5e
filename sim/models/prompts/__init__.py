"""What an agent with a language model is told (Appendix D.2, D.3); here, the variants of the system prompt.

A variant is a versioned Markdown text that is appended to the system prompt, word for word: a file `NAME.vVERSION.md`
in a folder. `NAME` alone means its highest version; `NAME.v2` a fixed one.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from machine.files import PROJECT

FOLDER = PROJECT / "data" / "prompts"
FILE_NAME = re.compile(r"(?P<name>.+)\.v(?P<version>\d+)\.md")


class VariantError(ValueError):
    """Why a variant can't be used: what is missing, where, and what to do."""


class Variant(Struct, frozen=True):
    """A variant's name, version and text, with the text's SHA-256, which a trace records."""

    name: str
    version: int
    sha256: str
    text: str

    @property
    def record(self) -> dict[str, str | int]:
        """What a trace keeps of it; the text stands in the system prompt."""
        return {"name": self.name, "version": self.version, "sha256": self.sha256}


def load_variant(wanted: str, folder: Path | None = None) -> Variant:
    """The variant of that name. Raises VariantError, listing what there is, where the folder has none."""
    folder = FOLDER if folder is None else folder
    files = {(m["name"], int(m["version"])): m.string for m in map(FILE_NAME.fullmatch, file_names(folder)) if m}
    fits = [key for key in files if wanted in (key[0], f"{key[0]}.v{key[1]}")]
    if not fits:
        known = ", ".join(sorted({name for name, _ in files})) or "none"
        raise VariantError(
            f"there is no prompt variant {wanted!r} in {folder} (there: {known}); add a file {wanted}.v1.md"
        )
    name, version = max(fits, key=lambda key: key[1])
    try:
        raw = (folder / files[name, version]).read_bytes()
        return Variant(name, version, sha256(raw).hexdigest(), raw.decode())
    except (OSError, UnicodeDecodeError) as error:
        raise VariantError(f"{folder / files[name, version]}: can't be read ({error}); give a text in UTF-8") from error


def file_names(folder: Path) -> list[str]:
    """The names of the folder's files, sorted."""
    try:
        return sorted(p.name for p in folder.iterdir() if p.is_file())
    except OSError as error:
        raise VariantError(f"{folder}: can't be read ({error.strerror}); name a folder of prompt variants") from error
