package threadping.probe.mechanisms.signals;

import java.util.concurrent.locks.LockSupport;
import threadping.probe.engine.Param;
import threadping.probe.platform.Words;

/**
 * Spins for a while, then says that it sleeps and parks; the publisher unparks only an awaiter that
 * has said so.
 *
 * <p>The write that must be seen is the number. The awaiter stores that it sleeps and then looks
 * once more; the publisher stores the number and then reads whether somebody sleeps. Both in
 * sequentially consistent order, so that at least one sees the other's store: the awaiter does not
 * sleep, or the publisher wakes it.
 */
final class SpinThenPark extends SignalInWord {
  /** How often it looks, a load and a PAUSE each, before it parks. */
  static final Param SPINS = Param.number("spins", 1000, 0, 1_000_000_000);

  private final long spins;

  /** The awaiter, while it sleeps. */
  private volatile Thread sleeper;

  SpinThenPark(long word, long spins) {
    super(word);
    this.spins = spins;
  }

  @Override
  public void publish(long n) {
    Words.setVolatile(word, n);
    Thread asleep = sleeper;
    if (asleep != null) {
      LockSupport.unpark(asleep);
    }
  }

  @Override
  public long await(long n) {
    long place = word; // a local: a field would be read again after every look
    long seen;
    for (long left = spins; left > 0; left--) {
      if ((seen = Words.getVolatile(place)) >= n) {
        return seen;
      }
      Thread.onSpinWait();
    }
    return park(n);
  }

  private long park(long n) {
    sleeper = Thread.currentThread();
    long seen;
    while ((seen = Words.getVolatile(word)) < n) {
      LockSupport.park(this);
    }
    sleeper = null;
    return seen;
  }

  @Override
  public void stop() {
    publish(STOPPED);
  }
}
