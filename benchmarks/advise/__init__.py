"""Whether what `threadping advise` names meets the requirement in a run of its own."""
