package threadping.probe.platform;

/**
 * What the kernel had counted for a thread at one moment. Two of them bracket what took long. Made
 * once, and filled anew by each look.
 */
public final class Look {
  /** What the kernel does not tell, or was not asked. */
  public static final long UNKNOWN = -1;

  /** Of so many others the run delay is looked at. */
  public static final int MOST_OTHERS = 7;

  private static final int FIRST_OTHER = 9;

  /** As {@link Native#look} writes it. */
  final long[] values = new long[FIRST_OTHER + MOST_OTHERS];

  /** When it began, by System.nanoTime; then nothing of what follows had been read. */
  public long atNs() {
    return values[0];
  }

  /** Where the thread was. */
  public int cpu() {
    return (int) values[1];
  }

  public long cpuNs() {
    return values[2];
  }

  public long voluntarySwitches() {
    return values[3];
  }

  public long involuntarySwitches() {
    return values[4];
  }

  public long minorFaults() {
    return values[5];
  }

  public long majorFaults() {
    return values[6];
  }

  /** How long it was ready to run without a CPU. */
  public long runDelayNs() {
    return values[7];
  }

  /** By what {@link Onlooker#interrupts} says. */
  public long interrupts() {
    return values[8];
  }

  /** The longest of the others' run delays since an earlier look. */
  public long othersRunDelayNsSince(Look before) {
    long longest = UNKNOWN;
    for (int other = FIRST_OTHER; other < values.length; other++) {
      longest = Math.max(longest, difference(values[other], before.values[other]));
    }
    return longest;
  }

  /** Never negative; unknown where either is. */
  public static long difference(long after, long before) {
    return after == UNKNOWN || before == UNKNOWN ? UNKNOWN : Math.max(0, after - before);
  }

  static Long orNull(long value) {
    return value == UNKNOWN ? null : (Long) value;
  }
}
