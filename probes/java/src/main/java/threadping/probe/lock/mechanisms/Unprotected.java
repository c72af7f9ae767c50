package threadping.probe.lock.mechanisms;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import threadping.probe.platform.Fillers;

/**
 * Load, add, store, and nothing between them that keeps others out: increments are lost whenever
 * two threads read the same value. Accesses without any order but their own (opaque), so that the
 * compiler may not add the whole loop up at once.
 */
final class Unprotected extends Lockless {
  Unprotected() {
    super(
        "unprotected",
        "A plain load, addition and store by all threads: increments are lost, and how many is the"
            + " result.",
        "Costs what the line's travels cost; never right with more than one thread.");
  }

  @Override
  public boolean exact() {
    return false;
  }

  @Override
  public Cell[] cells(int count, int threads) {
    return inHeap(count, Unprotected::cell);
  }

  private static Cell cell(Fillers fillers) {
    return fillers.apart(Bare::new);
  }

  private static final class Bare extends Counting implements Unguarded {
    private static final VarHandle COUNT;

    static {
      try {
        COUNT = MethodHandles.lookup().findVarHandle(Count.class, "count", long.class);
      } catch (ReflectiveOperationException error) {
        throw new ExceptionInInitializerError(error);
      }
    }

    @Override
    public void add(int thread) {
      COUNT.setOpaque(this, (long) COUNT.getOpaque(this) + 1);
    }

    @Override
    public long found() {
      return (long) COUNT.getOpaque(this);
    }
  }
}
