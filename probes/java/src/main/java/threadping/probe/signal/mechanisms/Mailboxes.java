package threadping.probe.signal.mechanisms;

import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;

/**
 * The cells of a blocking mechanism: two mailboxes each, one to pong and one to ping, in which each
 * side tells the other how many hand-overs have happened.
 */
final class Mailboxes implements Cells {
  /** The two mailboxes of a cell. */
  static final class Pair {
    final Mailbox toPong;
    final Mailbox toPing;

    Pair(Mailbox toPong, Mailbox toPing) {
      this.toPong = toPong;
      this.toPing = toPing;
    }
  }

  private final Pair[] cells;

  /** For each cell the hand-overs that ping knows of: they need not be received again. */
  private final long[] known;

  /** For the watchdog: the hand-overs that ping (first line) and pong (second) have made. */
  private final Lines made;

  Mailboxes(Pair[] cells) {
    this.cells = cells;
    this.known = new long[cells.length];
    this.made = new Lines(cells.length);
  }

  @Override
  public long pingTurn(int cell, long expected) {
    long seen = awaitAnswer(cell, expected);
    if (seen == expected) {
      send(cells[cell].toPong, expected + 1);
      Words.setRelease(made.first(cell), expected + 1);
    }
    return seen;
  }

  @Override
  public long pongTurn(int cell, long expected) {
    long seen = receive(cells[cell].toPong, expected);
    if (seen == expected) {
      send(cells[cell].toPing, expected + 1);
      Words.setRelease(made.second(cell), expected + 1);
    }
    return seen;
  }

  @Override
  public long awaitAnswer(int cell, long expected) {
    if (known[cell] != expected) {
      known[cell] = receive(cells[cell].toPing, expected);
    }
    return known[cell];
  }

  private static long receive(Mailbox box, long expected) {
    try {
      return box.receive(expected);
    } catch (InterruptedException impossible) {
      throw interrupted(impossible);
    }
  }

  private static void send(Mailbox box, long handOvers) {
    try {
      box.send(handOvers);
    } catch (InterruptedException impossible) {
      throw interrupted(impossible);
    }
  }

  @Override
  public void stop(int cell) {
    try {
      cells[cell].toPong.stop();
      cells[cell].toPing.stop();
    } catch (InterruptedException impossible) {
      throw interrupted(impossible);
    }
  }

  private static IllegalStateException interrupted(InterruptedException impossible) {
    return new IllegalStateException("Nobody interrupts a measuring thread.", impossible);
  }

  @Override
  public long peek(int cell) {
    return Math.max(Words.getAcquire(made.first(cell)), Words.getAcquire(made.second(cell)));
  }
}
