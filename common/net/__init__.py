"""Links between parties: in memory, and gRPC with mutual TLS."""

import os

# gRPC's own log goes to the terminal past every handler; what matters in it is in our errors.
# It reads this once, when it is first imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
