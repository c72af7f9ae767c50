package threadping.probe.mechanisms.locks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import threadping.probe.engine.Samples;
import threadping.probe.mechanisms.Work;
import threadping.probe.platform.LinePair;

/**
 * A counter and what protects it: what the experiment {@code lock} measures. One with a lock
 * extends {@link LockedCell} (acquire, release), one without implements {@link UnlockedCounter}
 * (add).
 *
 * <p>An operation is: work (see {@link Work}) inside the lock, one increment, and the release. A
 * cell does the whole of it, rather than a lock and an unlock, so that {@code synchronized} can be
 * measured as it is written, and HotSpot may do with it what it would do in the article's loop.
 */
public interface Cell {
  /**
   * One operation of this thread, with so many steps of work. Returns what the counter held before,
   * by which it is seen whether somebody else was here meanwhile.
   */
  long perform(int thread, int critical, Work work);

  /**
   * The same, and times it: from wanting the lock to holding it, or the increment where there is no
   * lock; one reading of the clock included.
   */
  long performTimed(int thread, int critical, Work work, Samples samples);

  /**
   * Whether what {@link #perform} returns shows hand-overs: not where each thread has its own
   * counter.
   */
  default boolean seesHandOvers() {
    return true;
  }

  /** What the counter holds. Exact when the threads have ended; a sign of life before. */
  long found();

  /** A counter without a lock around it. */
  interface UnlockedCounter extends Cell {
    /** Adds one; returns what was there before. */
    long add(int thread);

    @Override
    default long perform(int thread, int critical, Work work) {
      if (critical > 0) {
        work.take(critical);
      }
      return add(thread);
    }

    @Override
    default long performTimed(int thread, int critical, Work work, Samples samples) {
      if (critical > 0) {
        work.take(critical);
      }
      long start = System.nanoTime();
      long seen = add(thread);
      samples.add(start, System.nanoTime());
      return seen;
    }
  }

  /**
   * A counter behind a lock that is an object of its own. {@link #acquire} returns when the lock is
   * the thread's alone, and sees all that was written before the last {@link #release}.
   */
  abstract class LockedCell extends Counting {
    /** Returns what {@link #release} is given. */
    protected abstract long acquire();

    protected abstract void release(long stamp);

    @Override
    public final long perform(int thread, int critical, Work work) {
      long stamp = acquire();
      if (critical > 0) {
        work.take(critical);
      }
      long seen = count++;
      release(stamp);
      return seen;
    }

    @Override
    public final long performTimed(int thread, int critical, Work work, Samples samples) {
      long wanted = System.nanoTime();
      long stamp = acquire();
      long held = System.nanoTime();
      if (critical > 0) {
        work.take(critical);
      }
      long seen = count++;
      release(stamp);
      samples.add(wanted, held);
      return seen;
    }
  }

  /** A plain counter, with room before it. */
  abstract class Count extends LinePair {
    long count;
  }

  /**
   * A cell whose counter has a line pair of its own: who looks at the lock, or at the cell's other
   * fields, does not take the counter from its holder. Those of a subclass stand behind the room.
   */
  abstract class Counting extends Count implements Cell {
    long after0, after1, after2, after3, after4, after5, after6, after7;
    long after8, after9, after10, after11, after12, after13, after14, after15;

    /** The counter, to be read or written in another order than a plain one. */
    static final VarHandle COUNT;

    static {
      try {
        COUNT = MethodHandles.lookup().findVarHandle(Count.class, "count", long.class);
      } catch (ReflectiveOperationException error) {
        throw new ExceptionInInitializerError(error);
      }
    }

    @Override
    public long found() {
      return (long) COUNT.getOpaque(this);
    }
  }
}
