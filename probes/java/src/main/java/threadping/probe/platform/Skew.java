package threadping.probe.platform;

import java.util.Collection;
import java.util.List;

/** How far one CPU's clock is ahead of another's, at least and at most (platform/skew.hpp). */
public record Skew(long leastNs, long mostNs) {
  /**
   * Compares the clocks of pairs of CPUs: of the two that are farthest apart for certain, by all
   * that was found of them so far. Null where nothing was.
   */
  public static Skew farthest(Collection<List<Integer>> pairs) {
    long[] bounds = new long[2];
    int[] cpus = new int[2 * pairs.size()];
    int next = 0;
    for (List<Integer> pair : pairs) {
      cpus[next++] = pair.get(0);
      cpus[next++] = pair.get(1);
    }
    return Native.compareClocks(cpus, bounds) ? new Skew(bounds[0], bounds[1]) : null;
  }
}
