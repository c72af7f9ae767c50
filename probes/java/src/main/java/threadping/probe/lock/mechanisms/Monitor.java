package threadping.probe.lock.mechanisms;

import threadping.probe.platform.Fillers;

/**
 * The published lock ("Java Lock Implementations", 2011): {@code synchronized} around the
 * increment. The cell is the object that is locked; its header, which a waiting thread looks at,
 * stands a line pair before the counter.
 *
 * <p>The write that must be seen is the count; the monitor orders it. HotSpot unrolls the loop
 * around it and merges the sections of neighbouring turns (lock coarsening), unless it runs with
 * -XX:-EliminateLocks.
 */
final class Monitor extends Locking {
  Monitor() {
    super(
        "monitor",
        "The object's own monitor: synchronized around the increment.",
        "A waiting thread spins for a while, then sleeps; next to nothing without contention, where"
            + " HotSpot also merges neighbouring sections of a loop.");
  }

  @Override
  public Cell[] cells(int count, int threads) {
    return inHeap(count, Monitor::cell);
  }

  private static Cell cell(Fillers fillers) {
    return fillers.apart(Synchronized::new);
  }

  private static final class Synchronized extends Counting {
    @Override
    public void perform(int thread, int critical) {
      synchronized (this) {
        if (critical > 0) {
          Work.takeSteps(critical);
        }
        count++;
      }
    }

    @Override
    public long performTimed(int thread, int critical) {
      long start = System.nanoTime();
      synchronized (this) {
        long wait = System.nanoTime() - start;
        if (critical > 0) {
          Work.takeSteps(critical);
        }
        count++;
        return wait;
      }
    }
  }
}
