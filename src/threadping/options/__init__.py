"""Options of commands: their syntaxes, and the commands that are made of them."""
