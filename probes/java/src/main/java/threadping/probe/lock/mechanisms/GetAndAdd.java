package threadping.probe.lock.mechanisms;

import java.util.concurrent.atomic.AtomicLong;

/**
 * One locked addition (x86: LOCK XADD), which cannot fail. What was there before is looked at, as
 * by someone who claims a number: otherwise HotSpot would compile an addition that does not tell it
 * (LOCK ADD).
 *
 * <p>The write that must be seen is the last addition; each has read it.
 *
 * <p>The counter is the cell itself: a reference to it would be read again after every addition.
 */
final class GetAndAdd extends AtomicLong implements Unguarded {
  private static final long serialVersionUID = 1;

  @Override
  public void add(int thread) {
    if (getAndAdd(1) < 0) {
      throw new ArithmeticException("The counter has overflowed.");
    }
  }

  @Override
  public long found() {
    return get();
  }
}
