"""What every role shares: errors, identities, randomness, transcript, scenario, geometry, wire."""
