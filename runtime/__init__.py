"""The only place that wires roles together: in one process, in several, and on the command line."""
