package threadping.probe.mechanisms.locks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import threadping.probe.platform.LinePair;

/**
 * A cell whose counter has a line pair of its own: who looks at the lock, or at the cell's other
 * fields, does not take the counter from its holder. Those of a subclass stand behind the room.
 */
public abstract class Counting extends Count implements Cell {
  long after0, after1, after2, after3, after4, after5, after6, after7;
  long after8, after9, after10, after11, after12, after13, after14, after15;

  /** The counter, for who reads or writes it in an order of its own. */
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

/** A plain counter, with room before it. */
abstract class Count extends LinePair {
  long count;
}
