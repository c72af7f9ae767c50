"""Whether threadping measures what it says: known delays, and stalls that are counted."""
