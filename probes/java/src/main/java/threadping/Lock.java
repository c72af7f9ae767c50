package threadping;

/**
 * A lock for any number of threads. Measured by the experiment {@code lock}.
 *
 * <p>A class of your own has a constructor without parameters, and two methods to write. What
 * already is a {@link java.util.concurrent.locks.Lock} is measured unchanged.
 */
public interface Lock {
  /**
   * Waits until the lock is the calling thread's alone, and sees all that was written before the
   * last {@link #release}. Returns what {@link #release} is given: a stamp, or any number.
   */
  long acquire();

  /** Gives the lock back; the thread that acquired it calls this. */
  void release(long stamp);

  /** Whether a waiting thread sleeps, rather than keep its CPU. */
  default boolean sleeps() {
    return true;
  }
}
