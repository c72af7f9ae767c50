package threadping.probe.mechanisms.locks;

import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;

/**
 * A counter for each thread, which it alone writes: a load and a release store, which publishes the
 * count to a reader and is an ordinary store on x86. Who wants the sum adds them up. Outside the
 * heap, where it is certain which counters share a line: each stands on a line pair of its own (the
 * Single Writer Principle, Mechanical Sympathy, 2011), or side by side with others, so that eight
 * threads share a line of 64 bytes although none reads what another writes (false sharing).
 */
final class OwnCounters implements Counter {
  static final int APART = Lines.LINE_PAIR;
  static final int SIDE_BY_SIDE = Long.BYTES;

  private final long first;
  private final int threads;

  /** From one thread's counter to the next one's. */
  private final int distance;

  OwnCounters(long first, int threads, int distance) {
    this.first = first;
    this.threads = threads;
    this.distance = distance;
  }

  static Lines lines(int cells, int threads, int distance) {
    return new Lines(cells, (threads * distance + Lines.LINE_PAIR - 1) / Lines.LINE_PAIR);
  }

  /** The address of this thread's counter. */
  long own(int thread) {
    return first + (long) thread * distance;
  }

  @Override
  public long add(int thread) {
    long own = own(thread);
    long seen = Words.getOpaque(own);
    Words.setRelease(own, seen + 1);
    return seen;
  }

  /** Its counters are not one. */
  @Override
  public boolean tellsHandOvers() {
    return false;
  }

  @Override
  public long found() {
    long sum = 0;
    for (int thread = 0; thread < threads; thread++) {
      sum += Words.getAcquire(own(thread));
    }
    return sum;
  }
}
