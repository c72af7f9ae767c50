package threadping.probe.mechanisms.locks;

/**
 * Load, and compare-and-swap until nobody came between. The write that must be seen is the swap of
 * whoever came before; the swap that succeeds has read it.
 */
final class CasLoop extends Counting implements Counter {
  @Override
  public long add(int thread) {
    long seen;
    do {
      seen = (long) COUNT.getVolatile(this);
    } while (!COUNT.compareAndSet(this, seen, seen + 1));
    return seen;
  }
}
