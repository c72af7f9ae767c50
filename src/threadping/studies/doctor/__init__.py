"""Check-ups: of this machine, whether it can be trusted with latency, and of threadping itself."""
