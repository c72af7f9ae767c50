package threadping.probe.platform;

/** What the kernel has counted for one thread: so far, or between two readings. */
public record ThreadCounters(
    long cpuNs,
    long voluntarySwitches,
    long involuntarySwitches,
    long minorFaults,
    long majorFaults,
    Long migrations) {
  public static final ThreadCounters NONE = of(new long[6]);

  /** As {@link Native} writes them. */
  static ThreadCounters of(long[] counted) {
    return new ThreadCounters(
        counted[0], counted[1], counted[2], counted[3], counted[4], Native.orNull(counted[5]));
  }
}
