package threadping.probe.lock;

import java.util.Map;
import threadping.probe.crew.Loops;
import threadping.probe.crew.Timings;
import threadping.probe.message.Result;
import threadping.probe.platform.Lines;

/**
 * The workers' increments: the published loop, operations and nothing else. Counted, and without a
 * look at any flag, so that HotSpot may unroll it and merge sections of a monitor as it did there.
 * What is 0 is tested once, before the loop.
 */
public final class LockLoops implements Loops {
  private final Cell[] cells;
  private final int critical;
  private final int outside;
  private final boolean exact;

  /** What keeps the cells apart; nobody else holds it, and a collector would take it away. */
  private final Object room;

  /**
   * With so many steps of work in an operation and between two. {@code exact}: no increment may be
   * lost. The room is Lines outside the heap, or Fillers in it.
   */
  public LockLoops(Cell[] cells, int critical, int outside, boolean exact, Object room) {
    this.cells = cells;
    this.critical = critical;
    this.outside = outside;
    this.exact = exact;
    this.room = room;
  }

  @Override
  public int plain(int thread, int line, int count) {
    Cell cell = cells[line]; // locals: a field would be read again after every operation
    int inside = critical;
    int between = outside;
    for (int left = count; left > 0; left--) {
      cell.perform(thread, inside);
      if (between > 0) {
        Work.takeSteps(between);
      }
    }
    return count;
  }

  @Override
  public int timed(int thread, int line, long openedNs, Timings timings, int count) {
    Cell cell = cells[line];
    int inside = critical;
    int between = outside;
    for (int done = 0; done < count; done++) {
      cell.performTimed(thread, inside, timings, done);
      if (between > 0) {
        Work.takeSteps(between);
      }
    }
    return count;
  }

  @Override
  public long progress(int line) {
    return cells[line].found();
  }

  @Override
  public Map<String, Result.Held> counts(long made) {
    long found = 0;
    for (Cell cell : cells) {
      found += cell.found();
    }
    return Map.of("increments", new Result.Held(made, found, exact));
  }

  @Override
  public long memory() {
    return room instanceof Lines ? ((Lines) room).start() : 0;
  }
}
