"""Say on which CPUs to put threads that talk to each other, and measure what that gains."""
