"""A study from its question to the exit code: find, describe, plan, measure, store, read, print. It knows no study."""
