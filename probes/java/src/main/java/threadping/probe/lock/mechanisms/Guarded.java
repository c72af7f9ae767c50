package threadping.probe.lock.mechanisms;

import threadping.probe.crew.Timings;
import threadping.probe.lock.Work;

/**
 * A counter behind a lock that is an object of its own. {@link #acquire} returns when the lock is
 * the thread's alone, and sees all that was written before the last {@link #release}.
 */
abstract class Guarded extends Counting {
  /** Returns what is to be handed to {@link #release}. */
  abstract long acquire();

  abstract void release(long stamp);

  @Override
  public final void perform(int thread, int critical) {
    long stamp = acquire();
    if (critical > 0) {
      Work.takeSteps(critical);
    }
    count++;
    release(stamp);
  }

  @Override
  public final void performTimed(int thread, int critical, Timings timings, int operation) {
    long wanted = System.nanoTime();
    long stamp = acquire();
    long held = System.nanoTime();
    if (critical > 0) {
      Work.takeSteps(critical);
    }
    count++;
    release(stamp);
    timings.set(operation, wanted, held);
  }
}
