package threadping.probe.mechanisms;

import threadping.probe.platform.LinePair;

/**
 * What a thread does besides: steps of Knuth's linear congruential generator (The Art of Computer
 * Programming 2, 3.3.4), each waits for the one before, the first of one operation for the last of
 * the operation before it. Chains that began anew would overlap in the CPU (seen: 0.33 ns a step in
 * place of 1.2). Each thread has its own.
 */
public final class Work extends LinePair {
  /** Not final: C2 would fold several steps with known factors into one (seen: four). */
  private static long factor = 6364136223846793005L;

  private static long addend = 1442695040888963407L;

  /** How far it has come. Kept in a field, so that no compiler drops the steps. */
  private long value = 1;

  /** Takes {@code steps} steps, from where the last ones ended. */
  public void take(int steps) {
    value = steps(steps, value);
  }

  /**
   * Takes {@code steps} steps from this value on; gives the value that they come to. For a loop
   * that holds it in a local and keeps it in a field when it ends: a field would be written in
   * every turn.
   */
  public static long steps(int steps, long from) {
    long multiplier = factor;
    long increment = addend;
    long value = from;
    for (int left = steps; left > 0; left--) {
      value = value * multiplier + increment;
    }
    return value;
  }
}
