"""Numerical pieces: stable over the whole range of epsilon, persons and answers."""
