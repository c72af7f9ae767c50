package threadping.probe.platform;

import java.util.Set;
import java.util.TreeMap;

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
    TreeMap<Long, Integer> counts = new TreeMap<>();
    for (int reading = 0; reading < READINGS; reading++) {
      counts.merge(readings[reading + 1] - readings[reading], 1, Integer::sum);
    }
    counts.values().removeIf(count -> count < READINGS / COMMON);
    Set<Long> common = counts.keySet();
    long smallest = Long.MAX_VALUE;
    Long last = null;
    for (long first : common) {
      if (!common.contains(first - 1)) {
        smallest = last == null ? smallest : Math.min(smallest, first - last);
        last = first;
      }
    }
    return smallest < Long.MAX_VALUE && explainsAll(smallest, common) ? smallest : 1;
  }

  private static boolean explainsAll(long step, Set<Long> differences) {
    return differences.stream().allMatch(each -> each % step <= 1 || each % step >= step - 1);
  }
}
