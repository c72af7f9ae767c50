package threadping.probe.mechanisms.locks;

import threadping.probe.engine.Samples;
import threadping.probe.mechanisms.Work;

/**
 * A counter and what protects it: what the experiment {@code lock} measures. Whoever has a lock
 * extends {@link Lock} (acquire, release), whoever needs none implements {@link Counter} (add).
 *
 * <p>An operation is: work (see {@link Work}) inside the lock, one increment, and the release. A
 * cell does the whole of it, rather than a lock and an unlock, so that {@code synchronized} can be
 * measured as it is written, and HotSpot may do with it what it would do in the article's loop.
 */
public interface Cell {
  /**
   * One operation of this thread, with so many steps of work. Returns what the counter held before,
   * by which it is seen whether somebody else was here meanwhile.
   */
  long perform(int thread, int critical);

  /**
   * The same, and times it: from wanting the lock to holding it, or the increment where there is no
   * lock; one reading of the clock included.
   */
  long performTimed(int thread, int critical, Samples samples);

  /** Whether what {@link #perform} returns tells of others: not where each has its own counter. */
  default boolean tellsHandOvers() {
    return true;
  }

  /** What the counter holds. Exact when the threads have ended; a sign of life before. */
  long found();
}
