package threadping.probe.mechanisms.locks;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Function;
import java.util.function.Supplier;
import threadping.probe.Failure;
import threadping.probe.engine.Mechanism.Setup;
import threadping.probe.engine.Param;
import threadping.probe.engine.Samples;
import threadping.probe.mechanisms.Work;
import threadping.probe.mechanisms.locks.Cell.Counting;
import threadping.probe.mechanisms.locks.Cell.LockedCell;
import threadping.probe.mechanisms.locks.Cell.UnlockedCounter;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;

/**
 * Every lock, and every counter that needs none: a new one is a class and a line here. The write
 * that must be seen is the count: the lock's own state orders it, or the last addition is it.
 */
public final class Locks {
  /**
   * One of them.
   *
   * @param isLock whether it has a lock, for which threads sleep
   * @param isExact whether no increment may be lost
   * @param params what a request may set in addition to the experiment's own
   * @param guard the lock as readers and writers use it; null where they cannot
   */
  public record Entry(
      String name,
      boolean isLock,
      boolean isExact,
      List<Param> params,
      Function<Setup, Cells> cells,
      Supplier<Guard> guard) {
    /** One without parameters of its own, which readers and writers cannot use. */
    public Entry(String name, boolean isLock, boolean isExact, Function<Setup, Cells> cells) {
      this(name, isLock, isExact, List.of(), cells, null);
    }
  }

  /** The cells of a trial, one for each line; the address of the first, 0 in the heap. */
  public record Cells(Cell[] cells, long memory) {}

  /** Bytes from one thread's counter to the next's. */
  private static final Param STRIDE = Param.number("stride", Long.BYTES, Long.BYTES, 512);

  public static final List<Entry> ALL =
      List.of(
          lock("monitor", MonitorCell::new, Guards.Monitor::new),
          lock("reentrant-lock", () -> new Reentrant(false), () -> Guards.reentrant(false)),
          lock("reentrant-lock-fair", () -> new Reentrant(true), () -> Guards.reentrant(true)),
          lock(
              "read-write-lock",
              () -> new Taken(Guards.readWrite(false)),
              () -> Guards.readWrite(false)),
          lock(
              "read-write-lock-fair",
              () -> new Taken(Guards.readWrite(true)),
              () -> Guards.readWrite(true)),
          lock("stamped-lock", Stamped::new, Guards.Stamped::new),
          lock("stamped-lock-optimistic", Stamped::new, Guards.Optimistic::new),
          lock("semaphore", Permit::new, Guards.Permit::new),
          counter("cas-loop", true, inHeap(CasLoop::new)),
          counter("get-and-add", true, inHeap(GetAndAdd::new)),
          counter("long-adder", true, inHeap(Adder::new)),
          counter("single-writer-release", true, setup -> own(setup, Lines.LINE_PAIR)),
          new Entry("false-sharing", false, true, List.of(STRIDE), Locks::apart, null),
          counter("unprotected", false, inHeap(Unprotected::new)));

  private Locks() {}

  private static Entry lock(String name, Supplier<Cell> cell, Supplier<Guard> guard) {
    return new Entry(name, true, true, List.of(), inHeap(cell), guard);
  }

  private static Entry counter(String name, boolean isExact, Function<Setup, Cells> cells) {
    return new Entry(name, false, isExact, cells);
  }

  /**
   * Cells with padding around their counters; threads that work on one line leave the others alone.
   */
  public static Function<Setup, Cells> inHeap(Supplier<Cell> cell) {
    return setup -> {
      Cell[] cells = new Cell[setup.lines()];
      Arrays.setAll(cells, line -> cell.get());
      return new Cells(cells, 0);
    };
  }

  private static Cells apart(Setup setup) {
    int stride = (int) setup.params().number(STRIDE.name());
    if (stride % Long.BYTES != 0) {
      throw Failure.Code.BAD_REQUEST.failure(
          "A stride of %d bytes would lay a counter across words: it is a multiple of 8.", stride);
    }
    return own(setup, stride);
  }

  private static Cells own(Setup setup, int distance) {
    int bytes = setup.threads() * distance;
    Lines lines = new Lines(setup.lines(), (bytes + Lines.LINE_PAIR - 1) / Lines.LINE_PAIR);
    Cell[] cells = new Cell[setup.lines()];
    Arrays.setAll(cells, line -> new OwnCounters(lines.first(line), setup.threads(), distance));
    return new Cells(cells, lines.start());
  }

  /**
   * The published lock ("Java Lock Implementations", 2011): {@code synchronized} around the
   * increment. The cell is the object that is locked; its header, which a waiting thread polls, is
   * a line pair before the counter. HotSpot unrolls the loop around it and merges the sections of
   * neighbouring turns (lock coarsening), unless it runs with -XX:-EliminateLocks.
   */
  private static final class MonitorCell extends Counting {
    @Override
    public long perform(int thread, int critical, Work work) {
      synchronized (this) {
        if (critical > 0) {
          work.take(critical);
        }
        return count++;
      }
    }

    @Override
    public long performTimed(int thread, int critical, Work work, Samples samples) {
      long wanted = System.nanoTime();
      long held;
      long seen;
      synchronized (this) {
        held = System.nanoTime();
        if (critical > 0) {
          work.take(critical);
        }
        seen = count++;
      }
      samples.add(wanted, held);
      return seen;
    }
  }

  /**
   * The published explicit lock: ReentrantLock around the increment. Not fair: a thread that comes
   * by may take the lock before those that sleep for it. Fair: the one that waited longest gets it,
   * and under contention every handoff wakes a blocked thread.
   */
  private static final class Reentrant extends LockedCell {
    private final ReentrantLock lock;

    Reentrant(boolean isFair) {
      lock = new ReentrantLock(isFair);
    }

    @Override
    protected long acquire() {
      lock.lock();
      return 0;
    }

    @Override
    protected void release(long stamp) {
      lock.unlock();
    }
  }

  /** StampedLock's write lock, which knows no owner and cannot be taken twice. */
  private static final class Stamped extends LockedCell {
    private final StampedLock lock = new StampedLock();

    @Override
    protected long acquire() {
      return lock.writeLock();
    }

    @Override
    protected void release(long stamp) {
      lock.unlockWrite(stamp);
    }
  }

  /** Any other lock, taken by writers only. */
  private static final class Taken extends LockedCell {
    private final Guard.Taken lock;

    Taken(Guard.Taken lock) {
      this.lock = lock;
    }

    @Override
    protected long acquire() {
      return lock.acquire();
    }

    @Override
    protected void release(long stamp) {
      lock.release(stamp);
    }
  }

  /** A Semaphore with one permit in place of a lock; not fair. */
  private static final class Permit extends LockedCell {
    private final Semaphore permit = new Semaphore(1);

    @Override
    protected long acquire() {
      permit.acquireUninterruptibly();
      return 0;
    }

    @Override
    protected void release(long stamp) {
      permit.release();
    }
  }

  /** Load, and compare-and-swap until nobody came between. */
  private static final class CasLoop extends Counting implements UnlockedCounter {
    @Override
    public long add(int thread) {
      long seen;
      do {
        seen = (long) COUNT.getVolatile(this);
      } while (!COUNT.compareAndSet(this, seen, seen + 1));
      return seen;
    }
  }

  /**
   * One locked addition (x86: LOCK XADD), which cannot fail. What was there before is looked at, as
   * by someone who claims a number: otherwise HotSpot would compile an addition that does not tell
   * it (LOCK ADD).
   */
  private static final class GetAndAdd extends Counting implements UnlockedCounter {
    @Override
    public long add(int thread) {
      long seen = (long) COUNT.getAndAdd(this, 1L);
      if (seen < 0) {
        throw new ArithmeticException("The counter has overflowed.");
      }
      return seen;
    }
  }

  /**
   * Load, add, store, and nothing between them that keeps others out: increments are lost whenever
   * two threads read the same value. Accesses without any order but their own (opaque), so that the
   * compiler may not add the whole loop up at once.
   */
  private static final class Unprotected extends Counting implements UnlockedCounter {
    @Override
    public long add(int thread) {
      long seen = (long) COUNT.getOpaque(this);
      COUNT.setOpaque(this, seen + 1);
      return seen;
    }

    /** A value that is not its own may be one that was overwritten. */
    @Override
    public boolean seesHandoffs() {
      return false;
    }
  }

  /**
   * LongAdder: one counter until two threads meet there, then up to one for each CPU, each on lines
   * of its own, and a thread moves to another when it has met somebody. Each is added to with a
   * compare-and-swap; a reader of the sum adds them up.
   */
  private static final class Adder implements UnlockedCounter {
    private final LongAdder count = new LongAdder();

    @Override
    public long add(int thread) {
      count.increment();
      return 0;
    }

    /** Its counters are not one. */
    @Override
    public boolean seesHandoffs() {
      return false;
    }

    @Override
    public long found() {
      return count.sum();
    }
  }

  /**
   * A counter for each thread, which it alone writes: a load and a release store, which publishes
   * the count to a reader and is an ordinary store on x86. A reader of the sum adds them up.
   * Outside the heap, where it is certain which counters share a line: each is on a line pair of
   * its own (the Single Writer Principle, Mechanical Sympathy, 2011), or side by side with others,
   * so that eight threads share a line of 64 bytes although none reads what another writes (false
   * sharing).
   */
  private record OwnCounters(long first, int threads, int distance) implements UnlockedCounter {
    @Override
    public long add(int thread) {
      long own = first + (long) thread * distance;
      long seen = Words.getOpaque(own);
      Words.setRelease(own, seen + 1);
      return seen;
    }

    /** Its counters are not one. */
    @Override
    public boolean seesHandoffs() {
      return false;
    }

    @Override
    public long found() {
      long sum = 0;
      for (int thread = 0; thread < threads; thread++) {
        sum += Words.getAcquire(first + (long) thread * distance);
      }
      return sum;
    }
  }
}
