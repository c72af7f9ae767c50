package threadping.probe.lock.mechanisms;

import threadping.probe.crew.Timings;
import threadping.probe.lock.Work;

/**
 * The published lock ("Java Lock Implementations", 2011): {@code synchronized} around the
 * increment. The cell is the object that is locked; its header, which a waiting thread looks at,
 * stands a line pair before the counter.
 *
 * <p>The write that must be seen is the count; the monitor orders it. HotSpot unrolls the loop
 * around it and merges the sections of neighbouring turns (lock coarsening), unless it runs with
 * -XX:-EliminateLocks.
 */
final class Monitor extends Counting {
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
  public void performTimed(int thread, int critical, Timings timings, int operation) {
    long wanted = System.nanoTime();
    long held;
    synchronized (this) {
      held = System.nanoTime();
      if (critical > 0) {
        Work.takeSteps(critical);
      }
      count++;
    }
    timings.set(operation, wanted, held);
  }
}
