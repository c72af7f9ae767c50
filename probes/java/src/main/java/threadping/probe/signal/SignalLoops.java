package threadping.probe.signal;

import java.util.Map;
import threadping.probe.Failure;
import threadping.probe.crew.Loops;
import threadping.probe.crew.Timings;
import threadping.probe.mechanisms.signals.Pairs;
import threadping.probe.message.Result;

/** Both sides' turns on the pairs of a mechanism. */
public final class SignalLoops implements Loops {
  private final Pairs pairs;
  private final int lines;

  /** For each side and line the number of its next turn. */
  private final long[][] next;

  public SignalLoops(Pairs pairs, int lines) {
    this.pairs = pairs;
    this.lines = lines;
    this.next = new long[2][lines];
    java.util.Arrays.fill(next[Pairs.PONG], 1);
  }

  @Override
  public int plain(int side, int line, int count) {
    Pairs all = pairs;
    long expected = next[side][line];
    for (int left = count; left > 0; left--) {
      long seen = all.turn(side, line, expected);
      if (seen != expected) {
        return stopped(side, line, count - left, seen);
      }
      expected += 2;
    }
    next[side][line] = expected;
    return count;
  }

  /**
   * Round trips, which ping alone times: from the completion of one turn to the completion of the
   * next. Each holds one reading of the clock.
   */
  @Override
  public int timed(int side, int line, long openedNs, Timings timings, int count) {
    Pairs all = pairs;
    long[] ends = timings.toNs;
    long expected = next[side][line];
    for (int done = 0; done < count; done++) {
      long seen = all.turn(side, line, expected);
      if (seen != expected) {
        timings.chain(openedNs, done);
        return stopped(side, line, done, seen);
      }
      expected += 2;
      ends[done] = System.nanoTime();
    }
    timings.chain(openedNs, count);
    next[side][line] = expected;
    return count;
  }

  /** Ping meets a pong that is met to hand over. */
  @Override
  public void leave(int side, int line) {
    if (side == Pairs.PONG) {
      return;
    }
    long expected = next[Pairs.PING][line];
    check(expected, pairs.awaitAnswer(pairs.place(Pairs.PONG, line), expected));
  }

  /** Keeps the turns that were taken. Throws unless the cell was stopped. */
  private int stopped(int side, int line, int done, long seen) {
    next[side][line] += 2L * done;
    check(next[side][line], seen);
    return done;
  }

  private static void check(long expected, long seen) {
    if (seen != expected && seen < threadping.probe.mechanisms.signals.Signal.STOPPED) {
      throw Failure.Code.SEQUENCE_BROKEN.failure(
          "Hand-over %d was due, but %d was there: one was lost or doubled.", expected, seen);
    }
  }

  @Override
  public void stop(int line) {
    pairs.stop(line);
  }

  @Override
  public long progress(int line) {
    return pairs.handOvers(line);
  }

  @Override
  public Map<String, Result.Held> counts(long made) {
    long found = 0;
    for (int line = 0; line < lines; line++) {
      long seen = pairs.handOvers(line);
      if (seen >= threadping.probe.mechanisms.signals.Signal.STOPPED) {
        return Map.of();
      }
      found += seen;
    }
    return Map.of("hand-overs", new Result.Held(made, found, true));
  }

  @Override
  public long memory() {
    return pairs.memory();
  }
}
