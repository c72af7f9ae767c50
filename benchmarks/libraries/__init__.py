"""libraries: the examples' libraries as measured here, beside what their authors, or others, published."""
