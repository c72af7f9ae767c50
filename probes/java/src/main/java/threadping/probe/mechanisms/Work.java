package threadping.probe.mechanisms;

/** What a thread does besides. */
public final class Work {
  /** What is left of a sum of which nobody can know, at compile time, that it is never this. */
  private static final long UNLIKELY = 0x5851_F42D_4C95_7F2EL;

  /** Written by nobody else, and read by nobody. */
  static volatile long kept;

  /** Not final: C2 would fold several steps with known factors into one (seen: four). */
  private static long factor = 6364136223846793005L;

  private static long addend = 1442695040888963407L;

  private Work() {}

  /**
   * Steps of Knuth's linear congruential generator (The Art of Computer Programming 2, 3.3.4), each
   * of which waits for the one before. The last is looked at, so that no compiler drops them.
   */
  public static void takeSteps(int steps) {
    long multiplier = factor;
    long increment = addend;
    long value = steps;
    for (int left = steps; left > 0; left--) {
      value = value * multiplier + increment;
    }
    if (value == UNLIKELY) {
      kept = value;
    }
  }
}
