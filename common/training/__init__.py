"""Trainers. torch is imported only when one is called."""
