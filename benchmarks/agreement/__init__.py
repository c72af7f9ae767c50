"""Compare our probes with well-known tools, and with the published programs that have no harness."""
