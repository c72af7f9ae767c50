package threadping.probe.lock;

import java.util.Arrays;
import threadping.probe.lock.mechanisms.Cell;
import threadping.probe.lock.mechanisms.Work;
import threadping.probe.platform.LinePair;

/**
 * The same loop, but one operation in some is timed, as long as its wait can be kept. All memory is
 * taken and touched when it is made.
 */
final class SampledLoop extends LinePair implements TimedLoop {
  private final int thread;
  private final int critical;
  private final int outside;
  private final long[] waits;
  private int used;
  private int every = 1;
  private int room;

  /** So many operations until the next one that is timed. */
  private int until;

  SampledLoop(int thread, int critical, int outside, int mostWaits) {
    this.thread = thread;
    this.critical = critical;
    this.outside = outside;
    this.waits = new long[mostWaits];
  }

  /** From now on times one operation in so many, and keeps at most so many waits. */
  void time(int newEvery, int mostWaits) {
    every = newEvery;
    room = Math.min(mostWaits, waits.length);
    until = 0;
  }

  /** Forgets what it kept: the warm-up's. */
  void clear() {
    used = 0;
  }

  long[] waits() {
    return Arrays.copyOf(waits, used);
  }

  @Override
  public void perform(Cell cell, int count) {
    int self = thread;
    int inside = critical;
    int between = outside;
    int left = count;
    while (left > 0) {
      int untimed = Math.min(until, left);
      for (int each = untimed; each > 0; each--) {
        cell.perform(self, inside);
        if (between > 0) {
          Work.takeSteps(between);
        }
      }
      until -= untimed;
      left -= untimed;
      if (used == room) {
        until = Integer.MAX_VALUE;
      } else if (left > 0) {
        waits[used++] = cell.performTimed(self, inside);
        until = every - 1;
        left--;
        if (between > 0) {
          Work.takeSteps(between);
        }
      }
    }
  }
}
