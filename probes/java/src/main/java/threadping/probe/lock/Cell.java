package threadping.probe.lock;

import threadping.probe.crew.Timings;

/**
 * A counter and what protects it.
 *
 * <p>An operation is: work (see {@link Work}) inside the lock, one increment, and the release. A
 * cell does the whole of it, rather than a lock and an unlock, so that {@code synchronized} can be
 * measured as it is written, and HotSpot may do with it what it would do in the article's loop.
 */
public interface Cell {
  /** One operation of this thread, with so many steps of work. */
  void perform(int thread, int critical);

  /**
   * The same, and times it as the one of this number: from wanting the lock to holding it, or the
   * increment where there is no lock; one reading of the clock included.
   */
  void performTimed(int thread, int critical, Timings timings, int operation);

  /** What the counter holds. Exact when the threads have ended; a sign of life before. */
  long found();
}
