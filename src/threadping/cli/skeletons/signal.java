/**
 * A signal: a number that only grows, by which one thread tells another something. One thread
 * publishes 1, 2, 3, ..., each once and in this order; one thread awaits. 0 is published from the
 * start.
 */
public final class MySignal implements threadping.Signal {
  private volatile long number;

  /** Makes n what is published, and wakes the thread that awaits it. It never waits for that. */
  @Override
  public void publish(long n) {
    number = n;
  }

  /**
   * Waits until n is published, and gives what is: n, or something larger. What was written before
   * publish(n) is seen after it. It ends too when stop() publishes STOPPED, which is larger.
   */
  @Override
  public long await(long n) {
    long seen;
    while ((seen = number) < n) {
      Thread.onSpinWait();
    }
    return seen;
  }

  /** What is published. Any thread calls it, at any time; it does not wait. */
  @Override
  public long published() {
    return number;
  }

  /** Whether a thread that waits sleeps. Then {@code threadping run wakeup} measures it too. */
  @Override
  public boolean sleeps() {
    return false;
  }
}
