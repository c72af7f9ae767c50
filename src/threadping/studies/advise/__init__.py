"""Find the cheapest way of waiting that meets a latency."""
