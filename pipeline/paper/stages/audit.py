"""Traces to the auditor's findings, summed up by team, condition and code; in the study no trace may have an error."""

import sys
from collections.abc import Sequence
from pathlib import Path

from pipeline.tables.io import write_csv
from pipeline.tables.paths import RESULTS, TRACES
from pipeline.traces.audit.files import audit_files, divergence_line, errors, report_lines, summary


def main(traces: Path = TRACES, out: Path = RESULTS, suites: Sequence[Path] = ()) -> None:
    findings = audit_files([traces], suites=suites)
    wrong = errors(findings)
    for divergence in wrong:
        print(divergence_line(divergence), file=sys.stderr)
    print("\n".join(report_lines(findings)))
    out.mkdir(parents=True, exist_ok=True)
    write_csv(summary(findings), out / "audit.csv")
    if wrong or not findings:
        sys.exit(1)


if __name__ == "__main__":
    main()
