package threadping.probe.lock.mechanisms;

import java.util.concurrent.atomic.LongAdder;
import threadping.probe.platform.Fillers;

/**
 * LongAdder: one counter until two threads meet there, then up to one for each CPU, each on lines
 * of its own, and a thread moves to another when it has met somebody. Each is added to with a
 * compare-and-swap; who wants the sum adds them up.
 */
final class Adder extends Lockless {
  Adder() {
    super(
        "long-adder",
        "java.util.concurrent's LongAdder: counters that threads spread over when they meet.",
        "A compare-and-swap on a line that is mostly the thread's own; the sum is the reader's"
            + " work.");
  }

  @Override
  public Cell[] cells(int count, int threads) {
    return inHeap(count, Adder::cell);
  }

  private static Cell cell(Fillers fillers) {
    LongAdder count = fillers.apart(LongAdder::new);
    return fillers.apart(() -> new Spread(count));
  }

  private static final class Spread implements Unguarded {
    private final LongAdder count;

    Spread(LongAdder count) {
      this.count = count;
    }

    @Override
    public void add(int thread) {
      count.increment();
    }

    @Override
    public long found() {
      return count.sum();
    }
  }
}
