"""The attacker: what a coalition saw, attacks on it, and scoring against the truth."""
