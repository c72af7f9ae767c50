"""Tables, records, Markdown, HTML, charts and exports: what is printed and written about results."""
