package threadping.probe.mechanisms.locks;

import threadping.probe.mechanisms.Work;
import threadping.probe.platform.LinePair;

/** A thread's own while it is inside a {@link Guard}: its work there, and when it was let in. */
public final class Visit extends LinePair {
  private final int critical;
  private final Work work = new Work();

  /** Whether the next operation is timed. */
  public boolean isTimed;

  /** When it was let in, of the last operation that was timed. */
  public long enteredNs;

  public Visit(int critical) {
    this.critical = critical;
  }

  void enter() {
    if (isTimed) {
      enteredNs = System.nanoTime();
    }
  }

  void work() {
    if (critical > 0) {
      work.take(critical);
    }
  }

  /** Takes {@code steps} steps outside. */
  public void workOutside(int steps) {
    if (steps > 0) {
      work.take(steps);
    }
  }
}
