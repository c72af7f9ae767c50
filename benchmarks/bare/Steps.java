/** What a bare program's thread does besides, as our probe's steps of work are. */
final class Steps {
  /** Not final: several steps with known factors would be compiled to one. */
  private static long factor = 6364136223846793005L;

  private static long addend = 1442695040888963407L;

  private Steps() {}

  /**
   * Returns the result of this number of multiplications and additions, each dependent on the one
   * before.
   */
  static long take(long from, int steps) {
    long multiplier = factor;
    long increment = addend;
    long last = from;
    for (int left = steps; left > 0; left--) {
      last = last * multiplier + increment;
    }
    return last;
  }
}
