from pipeline.reports.library import Tables as Tables

OFFERED: dict[str, str]
