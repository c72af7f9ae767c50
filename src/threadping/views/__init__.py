"""What is shown: of a run tables, charts, exports and a page, a room each; all else is a module of its own."""
