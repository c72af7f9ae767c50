package threadping.probe.signal;

/** How many round trips a visit to a line takes. */
final class Visit {
  /** The clock pair's cost is then below 0.1 ns a round trip. */
  static final int MOST_ROUND_TRIPS = 1000;

  private static final double SINGLES_SHARE = 0.3;

  /** Untimed: brings the line and the partner in. At least 1: a round trip starts at a turn. */
  final int leadIn;

  /** Timed as a whole. */
  final int block;

  /** Timed one by one. */
  final int singles;

  private Visit(int leadIn, int block, int singles) {
    this.leadIn = leadIn;
    this.block = block;
    this.singles = singles;
  }

  /** A visit around a block of so many round trips, with 0.3 single ones for each in the block. */
  static Visit of(int roundTrips) {
    int singles = Math.max(1, (int) (roundTrips * SINGLES_SHARE));
    return new Visit(Math.max(1, roundTrips / 64), roundTrips, singles);
  }

  /** A visit that is all block, as nearly as can be. */
  static Visit uninterrupted(int roundTrips) {
    return new Visit(1, roundTrips, 1);
  }

  /**
   * The visit for a trial in which a round trip takes {@code roundTripNs}: the largest block, up to
   * MOST_ROUND_TRIPS, with which {@code measureNs} suffices for five visits to every line (its
   * median then survives two disturbed blocks) and ten visits in all, and as many single round
   * trips as spread {@code mostSingles} over the whole trial, with a margin for a pair that turns
   * out quicker. The block is 1 for two spinning threads on one CPU, where a hand-over takes a time
   * slice.
   */
  static Visit calibrated(long measureNs, double roundTripNs, int lines, int mostSingles) {
    double around = 1.5; // lead-in and single round trips come on top of the block
    double margin = 0.7;
    double roundTrips = measureNs / Math.max(roundTripNs, 1.0);
    double block = roundTrips / (Math.max(5.0 * lines, 10.0) * around);
    Visit visit = of((int) Math.max(1, Math.min(block, MOST_ROUND_TRIPS)));
    double visits = roundTrips / visit.turns();
    int singles = Math.max(1, (int) Math.min(visit.singles, margin * mostSingles / visits));
    return new Visit(visit.leadIn, visit.block, singles);
  }

  int turns() {
    return leadIn + block + singles;
  }
}
