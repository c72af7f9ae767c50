package threadping.probe.platform;

/**
 * What a reading of System.nanoTime costs on average, and in which steps it moves: here and now.
 */
public record Clock(double costNs, long resolutionNs) {
  public static final String NAME = "System.nanoTime";

  /** Enough calls of {@link #fill} for it to be compiled while this goes on. */
  private static final int BATCHES = 40;

  private static final int READINGS = 2000;

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
    return new Clock(bestNs, Native.clockStep(best));
  }

  private static void fill(long[] readings) {
    for (int reading = 0; reading < readings.length; reading++) {
      readings[reading] = System.nanoTime();
    }
  }
}
