package threadping.probe.lock.mechanisms;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Load, add, store, and nothing between them that keeps others out: increments are lost whenever
 * two threads read the same value. Accesses without any order but their own (opaque), so that the
 * compiler may not add the whole loop up at once.
 */
final class Unprotected extends Counting implements Unguarded {
  private static final VarHandle COUNT;

  static {
    try {
      COUNT = MethodHandles.lookup().findVarHandle(Counting.class, "count", long.class);
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
