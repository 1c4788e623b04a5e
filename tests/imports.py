"""The project's folder, and which of its files import which."""

from pipeline.paper.stages.code import ROOT, closure, imported, module_file, named

__all__ = ["ROOT", "closure", "imported", "module_file", "named"]
