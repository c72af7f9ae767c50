package threadping.probe.notify;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import threadping.probe.crew.Loops;
import threadping.probe.crew.Timings;
import threadping.probe.mechanisms.signals.Signal;
import threadping.probe.message.Result;
import threadping.probe.platform.Fillers;

/**
 * The published loops ("What a notify call costs", 2015): the notifier fills a buffer, calls and
 * pauses; the waiter waits until it is called, and pauses. Thread by thread a notifier and its
 * waiter.
 */
public final class NotifyLoops implements Loops {
  /** What the loops do besides. */
  public static final class Rounds {
    private final int bufferBytes;
    private final long pauseNs;
    private final long waiterPauseNs;
    private final long leastPauseNs;

    /** A notifier pauses for the least even where it has no pause. */
    public Rounds(int bufferBytes, long pauseNs, long waiterPauseNs, long leastPauseNs) {
      this.bufferBytes = bufferBytes;
      this.pauseNs = Math.max(pauseNs, leastPauseNs);
      this.waiterPauseNs = waiterPauseNs;
      this.leastPauseNs = leastPauseNs;
    }
  }

  /** For each line its pairs. */
  private final Pair[][] pairs;

  /** Keeps them apart; nobody else holds it, and a collector would take it away. */
  private final Fillers fillers = new Fillers();

  private final Rounds rounds;

  /** None in the warm-up, as published. */
  private long pauseNs;

  /** With a bell for each pair of so many threads on each line. */
  public NotifyLoops(Supplier<Signal> bells, int lines, int threads, Rounds rounds) {
    this.rounds = rounds;
    this.pauseNs = rounds.leastPauseNs;
    this.pairs = new Pair[lines][threads / 2];
    for (Pair[] ofLine : pairs) {
      Arrays.setAll(ofLine, each -> new Pair(fillers.apart(bells), rounds.bufferBytes, fillers));
    }
  }

  private static boolean isNotifier(int thread) {
    return thread % 2 == 0;
  }

  private Pair pair(int thread, int line) {
    return pairs[line][thread / 2];
  }

  @Override
  public int plain(int thread, int line, int count) {
    Pair pair = pair(thread, line);
    return isNotifier(thread) ? call(pair, count) : answer(pair, count);
  }

  private int call(Pair pair, int count) {
    for (int left = count; left > 0; left--) {
      pair.fill();
      pair.call();
      pauseNotifier();
    }
    return count;
  }

  private int answer(Pair pair, int count) {
    for (int done = 0; done < count; done++) {
      if (!pair.answer()) {
        return done;
      }
      pauseWaiter();
    }
    return count;
  }

  @Override
  public int timed(int thread, int line, long openedNs, Timings timings, int count) {
    Pair pair = pair(thread, line);
    return isNotifier(thread) ? call(pair, timings, count) : answer(pair, timings, count);
  }

  private static int call(Pair pair, Timings timings, int count) {
    for (int done = 0; done < count; done++) {
      pair.fill();
      pair.call(timings, done);
    }
    return count;
  }

  private static int answer(Pair pair, Timings timings, int count) {
    for (int done = 0; done < count; done++) {
      if (!pair.answer(timings, done)) {
        return done;
      }
    }
    return count;
  }

  @Override
  public void between(int thread, int line) {
    if (isNotifier(thread)) {
      pauseNotifier();
    } else {
      pauseWaiter();
    }
  }

  /**
   * Gives way first: without a pause hundreds of notifiers would each use up its time slice.
   * Whether there is a pause is asked in parkNanos, where others have paused before: a branch of
   * our own that is first taken after the warm-up would have this compiled anew while it is
   * measured.
   */
  private void pauseNotifier() {
    Thread.yield();
    LockSupport.parkNanos(pauseNs);
  }

  private void pauseWaiter() {
    LockSupport.parkNanos(rounds.waiterPauseNs);
  }

  @Override
  public void leave(int thread, int line) {
    if (isNotifier(thread)) {
      pair(thread, line).notifierLeaves();
    } else {
      pair(thread, line).waiterLeaves();
    }
  }

  /** A waiter only follows. */
  @Override
  public boolean counted(int thread) {
    return isNotifier(thread);
  }

  @Override
  public void warmedUp() {
    pauseNs = rounds.pauseNs;
  }

  @Override
  public void stop(int line) {
    for (Pair pair : pairs[line]) {
      pair.stop();
    }
  }

  @Override
  public long progress(int line) {
    return sum(Arrays.stream(pairs[line]), Pair::calls);
  }

  @Override
  public Map<String, Result.Held> counts(long made) {
    if (all().anyMatch(Pair::wasStopped)) {
      return Map.of();
    }
    return Map.of(
        "calls", new Result.Held(made, sum(all(), Pair::taken), true),
        "wake-ups", new Result.Held(made, sum(all(), Pair::wakes), false));
  }

  private Stream<Pair> all() {
    return Arrays.stream(pairs).flatMap(Arrays::stream);
  }

  private static long sum(Stream<Pair> pairs, ToLongFunction<Pair> count) {
    return pairs.mapToLong(count).sum();
  }
}
