"""Find runtimes, start probes, bound them in time, read what they wrote. The only room that starts a process."""
