"""What an answer looks like: on a terminal, in charts, in exports."""
