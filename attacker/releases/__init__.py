"""Naming the person behind a handle: asking silos, what was heard, and what follows from it.

- `knowledge`, `view`: what a querier knows beforehand, and what it was told.
- `evidence`: the posterior over persons, for every handle at once.
- `strategies`: what to ask next.
- `terms`, `link`, `game`, `proofs`, `session`: the querier's side of the protocol.
- `scoring`, `output`, `transcripts`: how often the right person is named, and files.
"""
