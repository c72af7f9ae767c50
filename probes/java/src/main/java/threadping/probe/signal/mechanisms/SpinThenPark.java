package threadping.probe.signal.mechanisms;

import java.util.concurrent.locks.LockSupport;
import threadping.probe.crew.Param;
import threadping.probe.platform.Words;
import threadping.probe.signal.Cells;

/**
 * Spins for a while, then says that it sleeps and parks; the other side unparks only a side that
 * has said so.
 *
 * <p>The write that must be seen is the value. The receiver stores that it sleeps and then looks
 * once more; the sender stores the value and then reads whether somebody sleeps. Both in
 * sequentially consistent order, so that at least one sees the other's store: the receiver does not
 * sleep, or the sender wakes it.
 */
final class SpinThenPark implements Mailbox {
  /** How often it looks, a load and a PAUSE each, before it parks. */
  static final Param SPINS = Param.number("spins", 1000, 0, 1_000_000_000);

  private final long value;
  private final long spins;

  /** The receiver, while it sleeps. */
  private volatile Thread sleeper;

  SpinThenPark(long value, long spins) {
    this.value = value;
    this.spins = spins;
  }

  @Override
  public void send(long handOvers) {
    Words.setVolatile(value, handOvers);
    Thread asleep = sleeper;
    if (asleep != null) {
      LockSupport.unpark(asleep);
    }
  }

  @Override
  public long receive(long expected) {
    long word = value; // a local: a field would be read again after every look
    long seen;
    for (long left = spins; left > 0; left--) {
      if ((seen = Words.getVolatile(word)) >= expected) {
        return seen;
      }
      Thread.onSpinWait();
    }
    return park(expected);
  }

  private long park(long expected) {
    sleeper = Thread.currentThread();
    long seen;
    while ((seen = Words.getVolatile(value)) < expected) {
      LockSupport.park(this);
    }
    sleeper = null;
    return seen;
  }

  @Override
  public void stop() {
    send(Cells.POISON);
  }
}
