package threadping.probe.platform;

/**
 * What a reading of System.nanoTime costs on average, and in which steps it moves: here and now.
 */
public record Clock(double costNs, long resolutionNs) {
  public static final String NAME = "System.nanoTime";

  private static final int BATCHES = 20;

  private static final int READINGS = 2000;

  /** So few at once that {@link #fill} is called often enough to be compiled while this goes on. */
  private static final int AT_ONCE = 50;

  /** The best of several batches: a slower one was disturbed, or not yet compiled. */
  public static Clock measure() {
    long[] readings = new long[READINGS + 1];
    long[] best = readings;
    double bestNs = Double.MAX_VALUE;
    for (int batch = 0; batch < BATCHES; batch++) {
      for (int from = 0; from < READINGS; from += AT_ONCE) {
        fill(readings, from);
      }
      readings[READINGS] = System.nanoTime();
      double ns = (double) (readings[READINGS] - readings[0]) / READINGS;
      if (ns < bestNs) {
        bestNs = ns;
        best = readings.clone();
      }
    }
    return new Clock(bestNs, Native.clockStep(best));
  }

  private static void fill(long[] readings, int from) {
    for (int reading = from; reading < from + AT_ONCE; reading++) {
      readings[reading] = System.nanoTime();
    }
  }
}
