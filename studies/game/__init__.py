"""The identification game, simulated as the paper writes it, but fast.

Nothing here knows a formula of `collude.codef`: it is what those are checked against.
"""
