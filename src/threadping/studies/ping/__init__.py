"""Ping between CPUs, as ping(8) does between hosts."""
