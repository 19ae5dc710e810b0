"""Messages, the round table, the canonical codec and sealed envelopes. No input or output."""
