package threadping.probe.lock.mechanisms;

import java.util.concurrent.atomic.LongAdder;
import threadping.probe.lock.Cell;
import threadping.probe.platform.Fillers;

/**
 * LongAdder: one counter until two threads meet there, then up to one for each CPU, each on lines
 * of its own, and a thread moves to another when it has met somebody. Each is added to with a
 * compare-and-swap; who wants the sum adds them up.
 */
final class Adder implements Unguarded {
  private final LongAdder count;

  private Adder(LongAdder count) {
    this.count = count;
  }

  static Cell made(Fillers fillers) {
    LongAdder count = fillers.apart(LongAdder::new);
    return fillers.apart(() -> new Adder(count));
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
