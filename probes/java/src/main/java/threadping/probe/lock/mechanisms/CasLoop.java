package threadping.probe.lock.mechanisms;

import java.util.concurrent.atomic.AtomicLong;
import threadping.probe.platform.Fillers;

/**
 * Load, and compare-and-swap until nobody came between. The write that must be seen is the swap of
 * whoever came before; the swap that succeeds has read it.
 */
final class CasLoop extends Lockless {
  CasLoop() {
    super(
        "cas-loop",
        "A compare-and-swap that is tried again until nobody came between.",
        "Never sleeps; under contention tries are wasted, and who just had the line wins most.");
  }

  @Override
  public Cell[] cells(int count, int threads) {
    return inHeap(count, CasLoop::cell);
  }

  private static Cell cell(Fillers fillers) {
    return fillers.apart(Swapped::new);
  }

  /** The counter itself: a reference to it would be read again after every try. */
  private static final class Swapped extends AtomicLong implements Unguarded {
    private static final long serialVersionUID = 1;

    @Override
    public void add(int thread) {
      long seen;
      do {
        seen = get();
      } while (!compareAndSet(seen, seen + 1));
    }

    @Override
    public long found() {
      return get();
    }
  }
}
