package threadping.probe.experiments.signal;

import static threadping.Signal.STOPPED;

import java.util.Arrays;
import java.util.Map;
import threadping.probe.Failure;
import threadping.probe.engine.Held;
import threadping.probe.engine.Player;
import threadping.probe.engine.Samples;
import threadping.probe.engine.Stage;
import threadping.probe.engine.Task;
import threadping.probe.mechanisms.signals.Pairs;

/** Both sides' turns on the pairs of a mechanism. */
public final class SignalStage implements Stage {
  private final Pairs pairs;
  private final int lines;

  public SignalStage(Pairs pairs, int lines) {
    this.pairs = pairs;
    this.lines = lines;
  }

  @Override
  public Player player(int thread) {
    return new Side(pairs, thread, lines);
  }

  /** Ping or pong. */
  private static final class Side implements Player {
    private final Pairs pairs;
    private final int side;

    /** For each line the number of its next turn. */
    private final long[] next;

    Side(Pairs pairs, int side, int lines) {
      this.pairs = pairs;
      this.side = side;
      this.next = new long[lines];
      Arrays.fill(next, side);
    }

    @Override
    public int run(Task task, Samples samples) throws InterruptedException {
      return task.every() == 0 ? take(task.line(), task.count()) : time(task, samples);
    }

    private int take(int line, int count) throws InterruptedException {
      Pairs all = pairs; // locals: a field would be read again after every turn
      long own = all.place(side, line);
      long theirs = all.place(1 - side, line);
      long expected = next[line];
      for (int left = count; left > 0; left--) {
        long seen = all.turn(own, theirs, expected);
        if (seen != expected) {
          return stopped(line, count - left, seen);
        }
        expected += 2;
      }
      next[line] = expected;
      return count;
    }

    /**
     * Round trips, which ping alone times: from the completion of one turn to the completion of the
     * next, so that no interval is hidden. Each holds one reading of the clock.
     */
    private int time(Task task, Samples samples) throws InterruptedException {
      Pairs all = pairs;
      int line = task.line();
      long own = all.place(side, line);
      long theirs = all.place(1 - side, line);
      long expected = next[line];
      long last = task.openedNs();
      for (int done = 0; done < task.count(); done++) {
        long seen = all.turn(own, theirs, expected);
        if (seen != expected) {
          return stopped(line, done, seen);
        }
        expected += 2;
        long now = System.nanoTime();
        samples.add(last, now);
        last = now;
      }
      samples.readClock(task.count());
      next[line] = expected;
      return task.count();
    }

    /** Ping meets a pong that is met to hand over. */
    @Override
    public int leave(int line, Samples samples) throws InterruptedException {
      if (side == Pairs.PING) {
        check(next[line], pairs.awaitAnswer(pairs.place(Pairs.PONG, line), next[line]));
      }
      return 0;
    }

    /** Keeps the turns that were taken. Throws unless the pair was stopped. */
    private int stopped(int line, int done, long seen) {
      next[line] += 2L * done;
      check(next[line], seen);
      return done;
    }

    private static void check(long expected, long seen) {
      if (seen != expected && seen < STOPPED) {
        throw Failure.Code.SEQUENCE_BROKEN.failure(
            "Handoff %d was due, but %d was there: one was lost or doubled.", expected, seen);
      }
    }
  }

  @Override
  public void stop(int line) {
    pairs.stop(line);
  }

  @Override
  public long progress(int line) {
    return pairs.handoffs(line);
  }

  @Override
  public Map<String, Held> counts(long[] ops) {
    long found = 0;
    for (int line = 0; line < lines; line++) {
      long seen = pairs.handoffs(line);
      if (seen >= STOPPED) {
        return Map.of();
      }
      found += seen;
    }
    return Map.of("handoffs", new Held(ops[0] + ops[1], found, true));
  }

  @Override
  public long memory() {
    return pairs.memory();
  }
}
