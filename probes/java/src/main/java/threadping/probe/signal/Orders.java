package threadping.probe.signal;

import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;

/**
 * How ping, which decides everything, leads pong, which echoes, from line to line. On lines of its
 * own, and used only between visits, when nothing is timed.
 */
final class Orders {
  /** In place of a line: read your counters. */
  static final int READ_COUNTERS = -1;

  /** In place of a line: end. */
  static final int STOP = -2;

  private static final int SPINS_BEFORE_YIELD = 1000;

  private final Lines memory = new Lines(1);
  private final long sentAt = memory.first(0);
  private final long lineAt = sentAt + Long.BYTES;
  private final long turnsAt = lineAt + Long.BYTES;
  private final long acknowledgedAt = memory.second(0);
  private long sent;
  private long received;

  // ---- ping ----

  /** Sends pong to a line for so many turns; the last store publishes the ones before. */
  void send(int line, int turns) {
    Words.setRelease(lineAt, line);
    Words.setRelease(turnsAt, turns);
    Words.setRelease(sentAt, ++sent);
  }

  void awaitAcknowledgement() {
    while (Words.getAcquire(acknowledgedAt) < sent) {
      Thread.yield();
    }
  }

  // ---- pong ----

  /**
   * Waits for the next order and returns its line. Spins, since pong is to be found awake and warm;
   * yields now and then, since ping may need this very CPU.
   */
  int receive() {
    for (int spins = 0; Words.getAcquire(sentAt) == received; spins++) {
      if (spins >= SPINS_BEFORE_YIELD) {
        Thread.yield();
      }
    }
    received++;
    return (int) Words.getAcquire(lineAt);
  }

  /** How many turns the received order asks for. */
  int turns() {
    return (int) Words.getAcquire(turnsAt);
  }

  void acknowledge() {
    Words.setRelease(acknowledgedAt, received);
  }
}
