package threadping.probe.waits;

import java.util.concurrent.locks.LockSupport;

/**
 * Spins, then yields, then sleeps for ever longer: little latency while the other side is quick,
 * little CPU time when it is not. Nobody wakes the sleeper: it looks again by itself.
 *
 * <p>The steps are those of Agrona's BackoffIdleStrategy with its defaults (DEFAULT_MAX_SPINS,
 * DEFAULT_MAX_YIELDS, DEFAULT_MIN_PARK_PERIOD_NS, DEFAULT_MAX_PARK_PERIOD_NS). The state is the
 * number of looks in vain in this turn.
 */
final class Backoff implements Wait {
  private static final int SPINS = 10;
  private static final int YIELDS = 5;
  private static final long SHORTEST_PARK_NS = 1_000;
  private static final long LONGEST_PARK_NS = 1_000_000;

  /** Doublings after which a park is the longest. */
  private static final int DOUBLINGS = 10;

  @Override
  public long again(long looks) {
    if (looks < SPINS) {
      Thread.onSpinWait();
    } else if (looks < SPINS + YIELDS) {
      Thread.yield();
    } else {
      LockSupport.parkNanos(parkNs(looks - SPINS - YIELDS));
    }
    return looks + 1;
  }

  /** How long the park lasts before which there were so many in the same turn. */
  static long parkNs(long parks) {
    return Math.min(SHORTEST_PARK_NS << Math.min(parks, DOUBLINGS), LONGEST_PARK_NS);
  }
}
