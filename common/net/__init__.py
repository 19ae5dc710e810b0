"""Links between parties: in memory, and gRPC with mutual TLS."""
