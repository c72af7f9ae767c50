"""Find runtimes, start probes, bound them in time, read what they wrote. The only package that starts a process."""
