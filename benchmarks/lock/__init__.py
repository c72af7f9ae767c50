"""Whether one thread pays in our `lock` what it pays in a bare loop, and in a JMH benchmark, of the same operation."""
