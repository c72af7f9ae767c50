"""Which way of waiting meets a requirement at the least CPU: trials of `paced` in, an advice out. Pure."""
