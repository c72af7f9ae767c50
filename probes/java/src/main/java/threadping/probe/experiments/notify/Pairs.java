package threadping.probe.experiments.notify;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Player;
import threadping.probe.engine.Samples;
import threadping.probe.engine.Task;
import threadping.probe.mechanisms.signals.Signal;
import threadping.probe.mechanisms.signals.Signals;
import threadping.probe.platform.LinePair;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Native;
import threadping.probe.platform.Words;

/**
 * Notifiers and their waiters. Who writes what:
 *
 * <pre>
 *   notifier: calls, the first unanswered one and its time --- signal.publish(calls) ---.
 *   waiter:   taken  &lt;-------------------------------------- signal.await(taken + 1) &lt;-'
 * </pre>
 *
 * <p>What is published is how many calls there were: what the waiter finds at the end has come
 * through the mechanism, and not past it.
 */
final class Pairs {
  private static final int WAKE_UPS = 0;

  /** Of each pair the signal's word, and lines of the notifier's and of the waiter's own. */
  private static final int LINE_PAIRS = 3;

  private final Signal[] signals;
  private final Notify.Rounds rounds;
  private final boolean virtual;
  private final long seed;
  private final Lines lines;
  private volatile boolean wasStopped;

  Pairs(int count, Signals.Blocking signal, Mechanism.Setup setup) {
    this.rounds = Notify.Rounds.of(setup, signal.virtual());
    this.virtual = signal.virtual();
    this.seed = setup.seed();
    Lines.refuseTooMuch((long) count * rounds.buffer(), "--threads or the parameter 'buffer'");
    this.lines = new Lines(count, LINE_PAIRS);
    this.signals = new Signal[count];
    Arrays.setAll(signals, pair -> signal.maker().signal(setup.params(), lines.first(pair), null));
  }

  Player notifier(int pair) {
    return new Notifier(pair);
  }

  Player waiter(int pair) {
    return new Waiter(pair);
  }

  /** Stored before the signal is published: a sign of life, and what a waiter looks at first. */
  private long callsOf(int pair) {
    return lines.pair(pair, 1);
  }

  /** The number of the first call since the waiter had taken all, ... */
  private long firstOf(int pair) {
    return callsOf(pair) + Long.BYTES;
  }

  /** ... and when it began. */
  private long firstNsOf(int pair) {
    return firstOf(pair) + Long.BYTES;
  }

  /** How many calls the waiter has taken; the notifier looks at it. */
  private long takenOf(int pair) {
    return lines.pair(pair, 2);
  }

  /** Gives the CPU away, by nothing that a mechanism could be woken by. */
  private void pause(long ns) throws InterruptedException {
    if (ns > 0 && virtual) {
      Thread.sleep(ns / 1_000_000, (int) (ns % 1_000_000));
    } else if (ns > 0) {
      Native.sleep(ns);
    }
  }

  private final class Notifier extends LinePair implements Player {
    private final int pair;
    private final byte[] buffer = new byte[rounds.buffer()];
    private long calls;

    /** The first one is drawn, so that pairs do not call together; they drift as threads do. */
    private long pauseNs;

    Notifier(int pair) {
      this.pair = pair;
      this.pauseNs = (long) (new Random(seed + pair).nextDouble() * rounds.pauseNs());
    }

    @Override
    public int run(Task task, Samples samples) throws InterruptedException {
      for (int done = 0; done < task.count(); done++) {
        pause(pauseNs);
        pauseNs = rounds.pauseNs();
        Arrays.fill(buffer, (byte) calls);
        calls++;
        if (task.every() > 0 && done % task.every() == task.every() / 2) {
          samples.aboutToTime();
          time(samples);
        } else {
          call();
        }
      }
      return task.count();
    }

    private void call() throws InterruptedException {
      Words.setRelease(callsOf(pair), calls);
      signals[pair].publish(calls);
    }

    /**
     * Of several calls before the waiter has come the first has woken it, and a wake-up is as long
     * as from there: so the time of a later one is not kept. Whether all were taken is looked up
     * before the clock is read, since that costs a cache miss.
     */
    private void time(Samples samples) throws InterruptedException {
      boolean isFirst = Words.getAcquire(takenOf(pair)) == calls - 1;
      long from = System.nanoTime();
      if (isFirst) {
        Words.setOpaque(firstOf(pair), calls);
        Words.setOpaque(firstNsOf(pair), from);
      }
      call();
      samples.add(from, System.nanoTime());
      samples.readClock(2);
    }

    @Override
    public int leave(int line, Samples samples) throws InterruptedException {
      signals[pair].publish(END + calls);
      return 0;
    }
  }

  private final class Waiter extends LinePair implements Player {
    private final int pair;
    private long taken;
    private boolean isOver;

    Waiter(int pair) {
      this.pair = pair;
    }

    @Override
    public int run(Task task, Samples samples) throws InterruptedException {
      int done = 0;
      while (done < task.count() && !isOver) {
        pause(rounds.waiterPauseNs());
        done += take(task.every() > 0, samples);
      }
      return done;
    }

    /**
     * Waits for a call, and takes all that came; returns how many. Nobody's wait is timed where
     * there was nothing to wait for, or whose call was not timed.
     */
    private int take(boolean isTimed, Samples samples) throws InterruptedException {
      if (isTimed) {
        samples.aboutToTime();
      }
      boolean hasToWait = Words.getAcquire(callsOf(pair)) == taken;
      long told = signals[pair].await(taken + 1);
      long now = isTimed ? System.nanoTime() : 0;
      samples.readClock(isTimed ? 1 : 0);
      if (told >= Signal.STOPPED) {
        wasStopped = true;
        isOver = true;
        return 0;
      }
      isOver = told >= END;
      int came = (int) ((told & END - 1) - taken);
      if (isTimed && hasToWait && Words.getOpaque(firstOf(pair)) == taken + 1) {
        samples.add(Words.getOpaque(firstNsOf(pair)), now);
      }
      taken += came;
      Words.setRelease(takenOf(pair), taken); // and not before: another time is kept from then on
      samples.tally(WAKE_UPS, came, hasToWait && came > 0 ? 1 : 0);
      return came;
    }

    @Override
    public int leave(int line, Samples samples) throws InterruptedException {
      int done = 0;
      while (!isOver) {
        done += take(false, samples);
      }
      return done;
    }
  }

  // ---- whoever watches over all ----

  void stop() {
    for (Signal signal : signals) {
      signal.stop();
    }
  }

  boolean wasStopped() {
    return wasStopped;
  }

  /** Exact when all have ended; a sign of life before. */
  long calls() {
    return IntStream.range(0, signals.length).mapToLong(i -> Words.getAcquire(callsOf(i))).sum();
  }

  long taken() {
    return IntStream.range(0, signals.length).mapToLong(i -> Words.getAcquire(takenOf(i))).sum();
  }
}
