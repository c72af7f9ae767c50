package threadping.probe.lock;

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
   * The same. Returns the nanoseconds from wanting the lock to holding it, or of the increment
   * where there is no lock; one reading of the clock included.
   */
  long performTimed(int thread, int critical);

  /** What the counter holds. Exact when the threads have ended; a sign of life before. */
  long found();
}
