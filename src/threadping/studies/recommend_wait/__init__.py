"""Find the cheapest wait strategy that meets a latency."""
