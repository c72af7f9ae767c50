package threadping.probe.lock;

/** How long the two windows of a visit are. */
final class Lengths {
  private static final long PLAIN_NS = 10_000_000;

  final long plainNs;
  final long sampledNs;

  /**
   * Ten and five milliseconds; where threads share CPUs, so long that each gets several time slices
   * (of 3 to 4 ms). Both fit into {@code measureNs}.
   */
  Lengths(long measureNs, int crowding) {
    long wanted = crowding > 1 ? 2 * PLAIN_NS * crowding : PLAIN_NS;
    plainNs = Math.min(wanted, measureNs * 2 / 3);
    sampledNs = plainNs / 2;
  }
}
