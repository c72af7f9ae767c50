package threadping.probe.signal.mechanisms;

import threadping.probe.signal.Cells;

/**
 * One direction of a blocking mechanism: how one side tells the other how many hand-overs have
 * happened, and how the other sleeps until it is told. One thread sends and one receives.
 */
interface Mailbox {
  /** Makes so many hand-overs known, and wakes the receiver. */
  void send(long handOvers) throws InterruptedException;

  /**
   * Sleeps until {@code expected} hand-overs are known, and returns those that are: {@code
   * expected}, or something larger when it was stopped (at least {@link Cells#POISON}) or the
   * sequence is broken.
   */
  long receive(long expected) throws InterruptedException;

  /** Ends every wait in here. May be called by any thread at any time, again and again. */
  void stop() throws InterruptedException;

  /** The two of a cell. */
  final class Pair {
    final Mailbox toPong;
    final Mailbox toPing;

    Pair(Mailbox toPong, Mailbox toPing) {
      this.toPong = toPong;
      this.toPing = toPing;
    }
  }
}
