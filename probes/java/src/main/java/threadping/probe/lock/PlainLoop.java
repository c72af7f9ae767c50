package threadping.probe.lock;

import threadping.probe.lock.mechanisms.Cell;
import threadping.probe.lock.mechanisms.Work;

/**
 * The published loop: operations and nothing else. Counted, and without a look at any flag, so that
 * HotSpot may unroll it and merge sections of a monitor as it did there.
 *
 * <p>A fresh virtual machine that measures one mechanism sees one implementation of {@link Cell}
 * here, and inlines it; what is 0 is tested once, before the loop.
 */
final class PlainLoop implements TimedLoop {
  private final int thread;
  private final int critical;
  private final int outside;

  PlainLoop(int thread, int critical, int outside) {
    this.thread = thread;
    this.critical = critical;
    this.outside = outside;
  }

  @Override
  public void perform(Cell cell, int count) {
    int self = thread; // locals: a field would be read again after every operation
    int inside = critical;
    int between = outside;
    for (int left = count; left > 0; left--) {
      cell.perform(self, inside);
      if (between > 0) {
        Work.takeSteps(between);
      }
    }
  }
}
