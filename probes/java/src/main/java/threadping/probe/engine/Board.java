package threadping.probe.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import threadping.probe.platform.LinePair;

/** What one worker tells the others. It alone writes here; the next board begins with room. */
final class Board extends LinePair {
  private static final VarHandle OPS = field("ops");
  private static final VarHandle READINGS = field("readings");

  /** The operations that it has completed, a run behind at most. */
  volatile long ops;

  /** Those when it read its counters and began to measure, ... */
  volatile long opsBefore;

  /** ... and from there until it read them again. */
  volatile long measuredOps;

  /** How often it has read the clock for what it times. */
  volatile long readings;

  /** The number of the order that it does, or has done. */
  volatile long obeyed;

  /** Of the order that it has done. */
  volatile long finished;

  /** How often it was switched out against its will, when it last took up an order. */
  volatile long switches;

  /** Its thread's number in /proc. */
  volatile int task;

  private static VarHandle field(String name) {
    try {
      return MethodHandles.lookup().findVarHandle(Board.class, name, long.class);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  /** Stores with release order: the full fence of a volatile store would be a pause of ours. */
  void add(long operations, long clockReadings) {
    OPS.setRelease(this, ops + operations);
    READINGS.setRelease(this, readings + clockReadings);
  }
}
