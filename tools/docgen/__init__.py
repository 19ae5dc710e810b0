"""The parts of docs/ that are made from the code: `make docs` writes them, `make check` compares.

Everything here reads; only `__main__` writes.
"""
