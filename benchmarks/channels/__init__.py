"""channels: Rust's channels as their published benchmarks use them, measured anew, beside what those publish."""
