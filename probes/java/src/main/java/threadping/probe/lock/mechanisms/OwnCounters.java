package threadping.probe.lock.mechanisms;

import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;

/**
 * A counter for each thread, which it alone writes: a load and a release store, which publishes the
 * count to a reader and is an ordinary store on x86. Outside the heap, where it is certain which
 * counters share a line.
 */
abstract class OwnCounters extends Lockless {
  /** From one thread's counter to the next one's. */
  private final int distance;

  OwnCounters(String name, String summary, String cpuCost, int distance) {
    super(name, summary, cpuCost);
    this.distance = distance;
  }

  @Override
  public final Cell[] cells(int count, int threads) {
    int linePairs = (threads * distance + Lines.LINE_PAIR - 1) / Lines.LINE_PAIR;
    Lines lines = new Lines(count, linePairs);
    Cell[] cells = new Cell[count];
    for (int cell = 0; cell < count; cell++) {
      cells[cell] = new Counters(lines.first(cell), threads, distance);
    }
    return cells;
  }

  private static final class Counters implements Unguarded {
    private final long first;
    private final int threads;
    private final int distance;

    Counters(long first, int threads, int distance) {
      this.first = first;
      this.threads = threads;
      this.distance = distance;
    }

    private long own(int thread) {
      return first + (long) thread * distance;
    }

    @Override
    public void add(int thread) {
      long own = own(thread);
      Words.setRelease(own, Words.getOpaque(own) + 1);
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
}
