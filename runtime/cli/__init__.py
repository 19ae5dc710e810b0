"""The collude command."""
