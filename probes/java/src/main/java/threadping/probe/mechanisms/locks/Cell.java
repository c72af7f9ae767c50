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
 * measured as written, and HotSpot may do with it what it would do in the article's loop.
 */
public interface Cell {
  /**
   * One operation of this thread, with steps of work. Returns what the counter held before, by
   * which it is seen whether somebody else was here meanwhile.
   */
  long perform(int thread, int critical, Work work);

  /**
   * The same, and times it: from wanting the lock to holding it, or the increment where there is no
   * lock; one reading of the clock included.
   */
  long performTimed(int thread, int critical, Work work, Samples samples);

  /**
   * Whether what {@link #perform} returns shows handoffs: not where each thread has its own
   * counter.
   */
  default boolean seesHandoffs() {
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

  /**
   * A cell whose counter has a line pair of its own: who looks at the lock, or at the cell's other
   * fields, does not take the counter from its holder. Those of a subclass are behind the padding.
   */
  abstract class Counting extends LinePair implements Cell {
    long count;

    // Four of these fill the hole before the counter, which is aligned.
    byte a000, a001, a002, a003, a004, a005, a006, a007, a008, a009, a010, a011, a012, a013;
    byte a014, a015, a016, a017, a018, a019, a020, a021, a022, a023, a024, a025, a026, a027;
    byte a028, a029, a030, a031, a032, a033, a034, a035, a036, a037, a038, a039, a040, a041;
    byte a042, a043, a044, a045, a046, a047, a048, a049, a050, a051, a052, a053, a054, a055;
    byte a056, a057, a058, a059, a060, a061, a062, a063, a064, a065, a066, a067, a068, a069;
    byte a070, a071, a072, a073, a074, a075, a076, a077, a078, a079, a080, a081, a082, a083;
    byte a084, a085, a086, a087, a088, a089, a090, a091, a092, a093, a094, a095, a096, a097;
    byte a098, a099, a100, a101, a102, a103, a104, a105, a106, a107, a108, a109, a110, a111;
    byte a112, a113, a114, a115, a116, a117, a118, a119, a120, a121, a122, a123, a124, a125;
    byte a126, a127, a128, a129, a130, a131;

    /** The counter, to be read or written in another order than a plain one. */
    static final VarHandle COUNT;

    static {
      try {
        COUNT = MethodHandles.lookup().findVarHandle(Counting.class, "count", long.class);
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
