package threadping.probe.platform;

import java.util.List;

/**
 * Looks at what the kernel counts for the thread that made it. Whatever it reads is opened when it
 * is made; a look is one native call and allocates nothing.
 */
public final class ThreadOnlooker implements Onlooker {
  /** Of so many others the run delay is looked at. */
  public static final int MOST_OTHERS = 7;

  /** By what interrupts are counted, as {@link Native#interrupts} tells it. */
  private static final List<String> INTERRUPTS = List.of("", "soft-interrupts", "trace-points");

  private final long address;
  private final String interrupts;

  /** Looks at the run delay of some of these threads too. */
  public ThreadOnlooker(int[] otherTasks, boolean withTracePoints) {
    address = Native.onlooker(otherTasks, withTracePoints);
    interrupts = INTERRUPTS.get(Native.interrupts(address));
  }

  @Override
  public long look() {
    return Native.look(address);
  }

  @Override
  public Seen seen() {
    long[] seen = new long[11];
    Native.seen(address, seen);
    return new Seen(
        seen[0],
        (int) seen[1],
        (int) seen[2],
        seen[3],
        Native.orNull(seen[4]),
        Native.orNull(seen[5]),
        seen[6],
        seen[7],
        seen[8],
        seen[9],
        Native.orNull(seen[10]));
  }

  @Override
  public String interrupts() {
    return interrupts.isEmpty() ? null : interrupts;
  }

  @Override
  public List<String> lacking() {
    return List.of(Native.lacking(address));
  }
}
