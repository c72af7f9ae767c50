"""channels: Rust's channels as their published benchmarks use them, measured anew and compared with those figures."""
