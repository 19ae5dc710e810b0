"""Paper 2's experiments, each beside what is true: one file and one preset file a study.

A study is data: cells that compute rows, each with a random stream of its own, and a conclusion
that makes claims of the rows. Exact formulas always run; Monte Carlo runs with `check` only.
`collude study --list` shows them.
"""
