package threadping.probe.mechanisms.locks;

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
final class GetAndAdd extends AtomicLong implements Counter {
  private static final long serialVersionUID = 1;

  @Override
  public long add(int thread) {
    long seen = getAndAdd(1);
    if (seen < 0) {
      throw new ArithmeticException("The counter has overflowed.");
    }
    return seen;
  }

  @Override
  public long found() {
    return get();
  }
}
