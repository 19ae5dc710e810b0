"""Contenders, one a file. They run in peers' environments too: numpy and their peer, no product.

`collude_*` alone import the product. Each is `python -m benchmarks.workers.<name> arguments`.
"""
