package threadping.probe.mechanisms.locks;

import threadping.probe.engine.Samples;
import threadping.probe.mechanisms.Work;

/**
 * A counter behind a lock that is an object of its own. {@link #acquire} returns when the lock is
 * the thread's alone, and sees all that was written before the last {@link #release}.
 */
public abstract class Lock extends Counting {
  /** Returns what is to be handed to {@link #release}. */
  protected abstract long acquire();

  protected abstract void release(long stamp);

  @Override
  public final long perform(int thread, int critical) {
    long stamp = acquire();
    if (critical > 0) {
      Work.takeSteps(critical);
    }
    long seen = count++;
    release(stamp);
    return seen;
  }

  @Override
  public final long performTimed(int thread, int critical, Samples samples) {
    long wanted = System.nanoTime();
    long stamp = acquire();
    long held = System.nanoTime();
    if (critical > 0) {
      Work.takeSteps(critical);
    }
    long seen = count++;
    release(stamp);
    samples.add(wanted, held);
    return seen;
  }
}
