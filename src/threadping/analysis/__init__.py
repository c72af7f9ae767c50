"""A run, its trials and its reference pings become an answer. Numbers in, numbers out: no printing, no storage."""
