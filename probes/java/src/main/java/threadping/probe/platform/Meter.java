package threadping.probe.platform;

/**
 * Counts, for one measuring thread, what the kernel counts for it, from a beginning to an end. All
 * four steps are that thread's own; what takes long is outside of what is counted, and outside of
 * what others count.
 *
 * <p>The kernel does not know of virtual threads, and which carrier runs which of them changes at
 * any time: what all carriers use together counts for the first thread, and nothing for the others.
 */
public final class Meter {
  /** Workers of the first ForkJoinPool that numbers itself, and this process has no other. */
  private static final String CARRIERS = "ForkJoinPool-1-";

  private static final int INVOLUNTARY = 2;
  private static final int MIGRATIONS = 5;

  private final boolean virtual;
  private final boolean first;

  /** As {@link ThreadCounters#of} takes them. */
  private final long[] before = new long[6];

  private final long[] after = new long[6];
  private final long[] now = new long[6];

  /** Of the thread of this number. */
  public Meter(boolean virtual, int thread) {
    this.virtual = virtual;
    this.first = thread == 0;
  }

  /** Whether the kernel does not know of the thread. */
  public boolean isOfVirtual() {
    return virtual;
  }

  /** How often the calling thread was switched out against its will. */
  public long involuntarySwitches() {
    Native.threadCounters(now);
    return now[INVOLUNTARY];
  }

  /** Reads what takes long. */
  public void prepare() {
    if (!virtual) {
      before[MIGRATIONS] = Native.migrations();
    }
  }

  /** Reads the rest: what follows is counted. */
  public void begin() {
    read(before);
  }

  /** Reads it again: what follows is not. */
  public void end() {
    read(after);
  }

  private void read(long[] into) {
    if (!virtual) {
      Native.threadCounters(into);
    } else if (first) {
      Native.countersOfAll(CARRIERS, into);
    }
  }

  /**
   * Reads what takes long again, and tells what was counted. A carrier that began meanwhile counts
   * in full; with one that has ended goes what it had counted.
   */
  public ThreadCounters finish() {
    if (!virtual) {
      after[MIGRATIONS] = Native.migrations();
    }
    long[] counted = new long[after.length];
    for (int each = 0; each < counted.length; each++) {
      counted[each] = Math.max(0, after[each] - before[each]);
    }
    if (after[MIGRATIONS] == Native.UNKNOWN) {
      counted[MIGRATIONS] = Native.UNKNOWN;
    }
    return ThreadCounters.of(counted);
  }
}
