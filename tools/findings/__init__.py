"""The studies behind docs/findings.md: each is one file, and gives rows, a table and a figure."""
