"""Whether a machine can be trusted with latency: effects that were measured, limits, and what is found of them."""
