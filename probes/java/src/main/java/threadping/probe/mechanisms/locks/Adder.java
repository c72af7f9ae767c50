package threadping.probe.mechanisms.locks;

import java.util.concurrent.atomic.LongAdder;

/**
 * LongAdder: one counter until two threads meet there, then up to one for each CPU, each on lines
 * of its own, and a thread moves to another when it has met somebody. Each is added to with a
 * compare-and-swap; who wants the sum adds them up.
 */
final class Adder implements Counter {
  private final LongAdder count = new LongAdder();

  @Override
  public long add(int thread) {
    count.increment();
    return 0;
  }

  /** Its counters are not one. */
  @Override
  public boolean tellsHandOvers() {
    return false;
  }

  @Override
  public long found() {
    return count.sum();
  }
}
