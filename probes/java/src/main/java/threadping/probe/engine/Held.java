package threadping.probe.engine;

/** What was made and what was found; where {@code exact}, they must be equal. */
public record Held(long made, long found, boolean exact) {}
