package threadping.probe.mechanisms.locks;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Load, and compare-and-swap until nobody came between. The write that must be seen is the swap of
 * whoever came before; the swap that succeeds has read it.
 *
 * <p>The counter is the cell itself: a reference to it would be read again after every try.
 */
final class CasLoop extends AtomicLong implements Counter {
  private static final long serialVersionUID = 1;

  @Override
  public long add(int thread) {
    long seen;
    do {
      seen = get();
    } while (!compareAndSet(seen, seen + 1));
    return seen;
  }

  @Override
  public long found() {
    return get();
  }
}
