"""Whether our probes agree with well-known tools, and with the published programs that have no harness around them."""
