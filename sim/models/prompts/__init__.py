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
from sim.models import ModelError
from sim.text_files import read_text

FOLDER = PROJECT / "data" / "prompts"
FILE_NAME = re.compile(r"(?P<name>.+)\.v(?P<version>\d+)\.md")


class VariantError(ModelError):
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


def load_variant(wanted: str, folder: Path = FOLDER) -> Variant:
    """The variant of that name. Raises VariantError, listing what there is, where the folder has none."""
    try:
        files = [match for path in sorted(folder.iterdir()) if (match := FILE_NAME.fullmatch(path.name))]
        fits = [file for file in files if wanted in (file["name"], f"{file['name']}.v{file['version']}")]
        if not fits:
            known = ", ".join(sorted({file["name"] for file in files})) or "none"
            raise VariantError(
                f"there is no prompt variant {wanted!r} in {folder} (there: {known}); add a file {wanted}.v1.md"
            )
        file = max(fits, key=lambda file: int(file["version"]))
        text = read_text(folder / file.string)
        return Variant(file["name"], int(file["version"]), sha256(text.encode()).hexdigest(), text)
    except (OSError, UnicodeDecodeError) as error:
        raise VariantError(f"{folder}: can't be read ({error}); name a folder of prompt variants in UTF-8") from error
