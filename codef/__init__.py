"""Person releases: what answers about a person leak, the risk, and the budget that bounds it."""
