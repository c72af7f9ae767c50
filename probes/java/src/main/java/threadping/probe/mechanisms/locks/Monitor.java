package threadping.probe.mechanisms.locks;

import threadping.probe.engine.Samples;
import threadping.probe.mechanisms.Work;

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
  public long perform(int thread, int critical) {
    synchronized (this) {
      if (critical > 0) {
        Work.takeSteps(critical);
      }
      return count++;
    }
  }

  @Override
  public long performTimed(int thread, int critical, Samples samples) {
    long wanted = System.nanoTime();
    long held;
    long seen;
    synchronized (this) {
      held = System.nanoTime();
      if (critical > 0) {
        Work.takeSteps(critical);
      }
      seen = count++;
    }
    samples.add(wanted, held);
    return seen;
  }
}
