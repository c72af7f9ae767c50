package threadping.probe.mechanisms.locks;

/**
 * One locked addition (x86: LOCK XADD), which cannot fail. What was there before is looked at, as
 * by someone who claims a number: otherwise HotSpot would compile an addition that does not tell it
 * (LOCK ADD).
 *
 * <p>The write that must be seen is the last addition; each has read it.
 */
final class GetAndAdd extends Counting implements Counter {
  @Override
  public long add(int thread) {
    long seen = (long) COUNT.getAndAdd(this, 1L);
    if (seen < 0) {
      throw new ArithmeticException("The counter has overflowed.");
    }
    return seen;
  }
}
