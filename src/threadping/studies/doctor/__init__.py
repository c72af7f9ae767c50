"""Whether this machine can be trusted with latency, and what stands in the way."""
