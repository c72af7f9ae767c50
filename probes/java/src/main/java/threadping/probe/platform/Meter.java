package threadping.probe.platform;

/** Counts, for one measuring thread, from a start to a stop. Both are called by that thread. */
public interface Meter {
  void start();

  /** What was counted since the start; nothing if it was never started. */
  ThreadCounters stop();
}
