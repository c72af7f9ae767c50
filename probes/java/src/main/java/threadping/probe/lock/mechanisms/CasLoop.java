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
    AtomicLong count = fillers.apart(AtomicLong::new);
    return fillers.apart(() -> new Swapped(count));
  }

  private static final class Swapped implements Unguarded {
    private final AtomicLong count;

    Swapped(AtomicLong count) {
      this.count = count;
    }

    @Override
    public void add(int thread) {
      long seen;
      do {
        seen = count.get();
      } while (!count.compareAndSet(seen, seen + 1));
    }

    @Override
    public long found() {
      return count.get();
    }
  }
}
