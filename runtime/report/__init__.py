"""The report: one self-contained page for a run, or for the runs of a demo."""

from collude.runtime.report.write import write_report

__all__ = ["write_report"]
