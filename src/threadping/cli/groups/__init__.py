"""The commands by groups, as click declares them; `commands` is their table of contents."""
