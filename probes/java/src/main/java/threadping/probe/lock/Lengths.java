package threadping.probe.lock;

/** How long the two windows of a visit are. */
final class Lengths {
  private static final long VISIT_NS = 15_000_000;

  final long plainNs;
  final long sampledNs;

  /**
   * About ten and five milliseconds; where threads share CPUs, so long that each gets several time
   * slices (of 3 to 4 ms): as many visits as fit into {@code measureNs} best fill it.
   */
  Lengths(long measureNs, int crowding) {
    long usual = crowding > 1 ? 2 * VISIT_NS * crowding : VISIT_NS;
    long visits = Math.max((measureNs + usual / 2) / usual, 1);
    long visit = measureNs / visits;
    plainNs = visit * 2 / 3;
    sampledNs = visit / 3;
  }
}
