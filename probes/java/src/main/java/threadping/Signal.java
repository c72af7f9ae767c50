package threadping;

/**
 * A signal: a number that only grows, by which one thread signals another. One thread publishes 1,
 * 2, 3, ..., each once and in this order; one thread awaits. 0 is published from the start.
 * Measured by the experiments {@code signal} (two signals, there and back), {@code wakeup} and
 * {@code load}.
 *
 * <p>A class of your own has a constructor without parameters, and three methods to write.
 */
public interface Signal {
  /**
   * What {@link #stop} publishes. No count reaches it, and every wait ends at a number that is not
   * below the wanted one, so that a wait needs no stop flag of its own.
   */
  long STOPPED = 1L << 62;

  /**
   * Makes n what is published, and wakes the awaiter. It does not wait for the awaiter, unless
   * {@link #meets} says so.
   */
  void publish(long n) throws InterruptedException;

  /**
   * Waits until n is published and returns what is: n or something larger, at least {@link
   * #STOPPED} if the signal was stopped. n is larger than all that it has returned before. What was
   * written before n was published is seen after it.
   */
  long await(long n) throws InterruptedException;

  /** What is published, or at least {@link #STOPPED}; for any thread at any time. */
  long published();

  /**
   * Ends every wait. Any thread calls it, again and again until both threads have ended: a
   * publisher that is just storing its number may overwrite it.
   */
  default void stop() {
    try {
      publish(STOPPED);
    } catch (InterruptedException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Whether an awaiter sleeps, rather than keep its CPU: only then {@code wakeup} measures it. */
  default boolean sleeps() {
    return false;
  }

  /**
   * Whether {@link #publish} waits until the awaiter has come: {@code signal} alone measures such a
   * signal, and its {@link #stop} must end that wait too.
   */
  default boolean meets() {
    return false;
  }
}
