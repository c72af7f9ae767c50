package threadping.probe.platform;

import java.util.Arrays;

/** What reading System.nanoTime costs and in which steps it moves, measured here and now. */
public final class Clock {
  public static final String NAME = "System.nanoTime";

  /** Enough calls of {@link #fill} for it to be compiled while this goes on. */
  private static final int BATCHES = 40;

  private static final int READINGS = 2000;

  /** What occurs less often than once in so many is luck. */
  private static final int COMMON = 100;

  /** Mean nanoseconds of a reading. */
  public final double costNs;

  public final long resolutionNs;

  private Clock(double costNs, long resolutionNs) {
    this.costNs = costNs;
    this.resolutionNs = resolutionNs;
  }

  /** The best of several batches: a slower one was disturbed, or not yet compiled. */
  public static Clock measure() {
    long[] readings = new long[READINGS + 1];
    long[] best = readings;
    double bestNs = Double.MAX_VALUE;
    for (int batch = 0; batch < BATCHES; batch++) {
      fill(readings);
      double ns = (double) (readings[READINGS] - readings[0]) / READINGS;
      if (ns < bestNs) {
        bestNs = ns;
        best = readings.clone();
      }
    }
    return new Clock(bestNs, smallestStep(best));
  }

  private static void fill(long[] readings) {
    for (int reading = 0; reading < readings.length; reading++) {
      readings[reading] = System.nanoTime();
    }
  }

  /**
   * The smallest step between differences that are common, from the first of a run of neighbours to
   * the first of the next. Ticks are rounded to whole nanoseconds, so that steps of 10 ns show as
   * 20, 21, 30 and 31: neighbours say nothing. 1 where a common difference is no multiple of it: a
   * clock that now and then takes longer to read has no steps.
   */
  static long smallestStep(long[] readings) {
    long[] common = commonDifferences(readings);
    long smallest = Long.MAX_VALUE;
    long first = -1;
    for (int each = 0; each < common.length; each++) {
      boolean neighbour = each > 0 && common[each] == common[each - 1] + 1;
      if (each > 0 && !neighbour) {
        smallest = Math.min(smallest, common[each] - first);
      }
      first = neighbour ? first : common[each];
    }
    return smallest < Long.MAX_VALUE && explainsAll(smallest, common) ? smallest : 1;
  }

  /** Those of neighbouring readings that occur in one of a hundred at least, ascending. */
  private static long[] commonDifferences(long[] readings) {
    long[] differences = new long[READINGS];
    for (int reading = 0; reading < READINGS; reading++) {
      differences[reading] = readings[reading + 1] - readings[reading];
    }
    Arrays.sort(differences);
    long[] common = new long[COMMON];
    int used = 0;
    for (int from = 0, to = 0; from < READINGS; from = to) {
      while (to < READINGS && differences[to] == differences[from]) {
        to++;
      }
      if (to - from >= READINGS / COMMON) {
        common[used++] = differences[from];
      }
    }
    return Arrays.copyOf(common, used);
  }

  private static boolean explainsAll(long step, long[] differences) {
    for (long difference : differences) {
      long rest = difference % step;
      if (rest > 1 && rest < step - 1) {
        return false;
      }
    }
    return true;
  }
}
