package threadping.probe.platform;

/** How far one CPU's clock is ahead of another's, at least and at most (platform/skew.hpp). */
public record Skew(long leastNs, long mostNs) {
  /** Null if the two did not meet in time. */
  public static Skew between(int one, int other) {
    long[] bounds = new long[2];
    return Native.skew(one, other, bounds) ? new Skew(bounds[0], bounds[1]) : null;
  }

  /**
   * What two measurements of the same pair say together: what both allow. Where nothing is, the
   * clocks drifted meanwhile, and it is from one to the other. Null is none.
   */
  public static Skew together(Skew one, Skew other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    long least = Math.max(one.leastNs, other.leastNs);
    long most = Math.min(one.mostNs, other.mostNs);
    return new Skew(Math.min(least, most), Math.max(least, most));
  }

  /** So far they are apart in any case. */
  public long certainNs() {
    return Math.max(0, Math.max(leastNs, -mostNs));
  }

  /** The one that is certain to be farther from 0; null is none. */
  public static Skew farther(Skew one, Skew other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return other.certainNs() > one.certainNs() ? other : one;
  }
}
