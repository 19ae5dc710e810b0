"""Runs in which silos answer about persons, under budgets that they count together."""
