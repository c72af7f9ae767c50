"""libraries: our figures of the examples' libraries, compared with those that their authors or others published."""
