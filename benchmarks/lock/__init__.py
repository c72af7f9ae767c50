"""Compare one thread's cost in our `lock` with a hand-written baseline and a JMH benchmark of the same operation."""
