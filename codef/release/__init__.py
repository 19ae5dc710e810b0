"""What a silo answers about persons, exactly drawn, and what it remembers of it."""
