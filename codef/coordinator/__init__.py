"""The coordinator: it carries, sums and grants leases; it learns the sum of the counts alone."""
