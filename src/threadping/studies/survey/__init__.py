"""Measure the cases that were selected, as many as there is time for, and show them as rows."""
