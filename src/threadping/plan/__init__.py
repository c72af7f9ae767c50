"""How a budget is spent: which cases it carries, in how many rounds, and how long each trial is. Pure."""
