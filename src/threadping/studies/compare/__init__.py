"""Is B slower than A? Trials in randomised blocks, in; an interval and a verdict, out."""
