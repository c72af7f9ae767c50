package threadping.probe.signal.mechanisms;

/**
 * The cells over which a mechanism is measured.
 *
 * <p>The hand-overs of a cell are numbered from 0. Ping takes turns 0, 2, 4, ...; pong takes 1, 3,
 * 5, .... A turn waits until {@code expected} hand-overs have happened and then makes it one more.
 * It returns the hand-overs that it saw: {@code expected}, or something larger when the cell was
 * stopped (at least {@link #POISON}) or the sequence is broken.
 */
public interface Cells {
  /**
   * Stored by the watchdog into whatever a side waits on. No count reaches it, and every wait ends
   * at a value that is not below the wanted one, so the hot loop needs no stop flag of its own.
   */
  long POISON = 1L << 62;

  long pingTurn(int cell, long expected);

  long pongTurn(int cell, long expected);

  /**
   * Ping's, at the end of a visit: waits until {@code expected} hand-overs have happened, and
   * returns those that it saw. A pong that is met to hand over (at an Exchanger) could not leave
   * otherwise; one that leaves its word behind needs nothing.
   */
  default long awaitAnswer(int cell, long expected) {
    return expected;
  }

  /** Ends every wait on a cell. May be called by any thread at any time, again and again. */
  void stop(int cell);

  /** Something that changes with every hand-over; for any thread at any time. */
  long peek(int cell);
}
