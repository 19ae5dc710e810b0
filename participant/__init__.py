"""The silo: its secret transform, its mechanisms, its side of every round."""
