package threadping.probe.platform;

/** The clock by which Java times. The C++ part reports its steps: it is the same clock. */
public final class Clock {
  private static final int BATCHES = 20;
  private static final int READINGS = 2000;

  /**
   * Readings at once: few, so that {@link #fill} is called often enough to be compiled meanwhile.
   */
  private static final int AT_ONCE = 50;

  private Clock() {}

  /**
   * What a reading of System.nanoTime costs on average. The best of several batches: a slower one
   * was disturbed, or not yet compiled.
   */
  public static double costNs() {
    long[] readings = new long[READINGS + 1];
    double best = Double.MAX_VALUE;
    for (int batch = 0; batch < BATCHES; batch++) {
      for (int from = 0; from < READINGS; from += AT_ONCE) {
        fill(readings, from);
      }
      readings[READINGS] = System.nanoTime();
      best = Math.min(best, (double) (readings[READINGS] - readings[0]) / READINGS);
    }
    return best;
  }

  private static void fill(long[] readings, int from) {
    for (int reading = from; reading < from + AT_ONCE; reading++) {
      readings[reading] = System.nanoTime();
    }
  }
}
