package threadping.probe.notify;

/**
 * How a notifier tells its waiter the news, and how that one sleeps until there are some: a
 * mechanism. One thread tells and one awaits.
 *
 * <p>The news is a number that only grows (see {@link Pair}): who comes late learns the latest, and
 * what came in between is in it.
 */
public interface Bell {
  /** No news reaches it: it ends every wait. */
  long STOPPED = 1L << 62;

  /** Makes the news known, and wakes who awaits it. */
  void tell(long news);

  /**
   * Sleeps until there is later news than this, and returns the latest: at least {@link #STOPPED}
   * when it was stopped.
   */
  long await(long known) throws InterruptedException;

  /** Ends every wait in here. May be called by any thread at any time, again and again. */
  void stop();
}
