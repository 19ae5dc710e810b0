"""The analyst: intake, alignment, training, its side of every round."""
