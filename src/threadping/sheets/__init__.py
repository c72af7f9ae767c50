"""Sheets: typed tables with their sentences, and their printers: terminal, markdown, JSON, CSV, JSON Schema."""
