package threadping.probe.experiments.wakeup;

import static threadping.probe.Failure.Code.BAD_REQUEST;

import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import threadping.Signal;
import threadping.probe.engine.Held;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Player;
import threadping.probe.engine.Samples;
import threadping.probe.engine.Stage;
import threadping.probe.engine.Task;
import threadping.probe.mechanisms.signals.Signals;
import threadping.probe.platform.LinePair;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Native;
import threadping.probe.platform.Words;

/**
 * Thread by thread a notifier and its waiter. Who writes what:
 *
 * <pre>
 *   notifier: the first unanswered call and its time --- signal.publish(calls) ---.
 *   waiter:   taken  &lt;---------------------------------- signal.await(taken + 1) &lt;-'
 * </pre>
 *
 * <p>What is published is how many calls there were: what the waiter finds at the end has come
 * through the mechanism, and not past it.
 */
final class WakeupStage implements Stage {
  private static final long MICROSECOND = 1000;
  private static final int WAKE_UPS = 0;

  private final boolean virtual;
  private final int buffer;
  private final long pauseNs;
  private final long waiterPauseNs;
  private final long seed;
  private final WakeupPair[] pairs;
  private volatile boolean wasStopped;

  /**
   * What the two share: what the notifier writes is in one line with the signal's word, so that
   * none besides has to travel.
   *
   * @param first where the number of the first call is since the waiter had taken all, ...
   * @param firstNs ... when it began, and ...
   * @param taken ... how many calls the waiter has taken
   */
  private record WakeupPair(Signal signal, long first, long firstNs, long taken) {}

  WakeupStage(Signals.Blocking signal, Mechanism.Setup setup) {
    virtual = signal.virtual();
    buffer = (int) setup.params().number(WakeupExperiment.BUFFER.name());
    pauseNs = MICROSECOND * setup.params().number(WakeupExperiment.PAUSE.name());
    waiterPauseNs = MICROSECOND * setup.params().number(WakeupExperiment.WAITER_PAUSE.name());
    seed = setup.seed();
    if (setup.threads() % 2 != 0) {
      throw BAD_REQUEST.failure(
          "wakeup takes pairs of threads, each a notifier and a waiter, not %d threads.",
          setup.threads());
    }
    pairs = new WakeupPair[setup.threads() / 2];
    Lines.refuseTooMuch((long) pairs.length * buffer, "--threads or the parameter 'buffer'");
    Lines lines = new Lines(pairs.length);
    for (int pair = 0; pair < pairs.length; pair++) {
      long word = lines.first(pair);
      Signal made = signal.maker().signal(setup.params(), word, null);
      pairs[pair] =
          new WakeupPair(made, word + Long.BYTES, word + 2 * Long.BYTES, lines.second(pair));
    }
  }

  @Override
  public Player player(int thread) {
    return roleOf(thread) == 0 ? new Notifier(thread / 2) : new Waiter(pairs[thread / 2]);
  }

  @Override
  public boolean comparesClocks(int one, int other) {
    return one / 2 == other / 2;
  }

  @Override
  public void stop(int line) {
    wasStopped = true;
    for (WakeupPair pair : pairs) {
      pair.signal.stop();
    }
  }

  @Override
  public long progress(int line) {
    return taken() + Arrays.stream(pairs).mapToLong(pair -> pair.signal.published()).sum();
  }

  @Override
  public Map<String, Held> counts(long[] ops) {
    long made = 0;
    for (int notifier = 0; notifier < ops.length; notifier += 2) {
      made += ops[notifier];
    }
    return wasStopped ? Map.of() : Map.of("calls", new Held(made, taken(), true));
  }

  private long taken() {
    return Arrays.stream(pairs).mapToLong(pair -> Words.getAcquire(pair.taken)).sum();
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
    private final WakeupPair pair;
    private final byte[] content = new byte[buffer];
    private long calls;

    /** The first one is drawn, so that pairs do not call together; they drift as threads do. */
    private long nextPauseNs;

    Notifier(int number) {
      pair = pairs[number];
      nextPauseNs = (long) (new Random(seed + number).nextDouble() * pauseNs);
    }

    /** A virtual one that never pauses leaves the others no carrier: it pauses a moment. */
    @Override
    public int run(Task task, Samples samples) throws InterruptedException {
      for (int done = 0; done < task.count(); done++) {
        pause(nextPauseNs);
        nextPauseNs = virtual ? Math.max(1, pauseNs) : pauseNs;
        boolean isTimed = task.every() > 0 && done % task.every() == task.every() / 2;
        if (isTimed) {
          samples.aboutToTime();
        }
        Arrays.fill(content, (byte) calls);
        calls++;
        if (isTimed) {
          time(samples);
        } else {
          pair.signal.publish(calls);
        }
      }
      return task.count();
    }

    /**
     * Of several calls before the waiter has come the first has woken it, and a wake-up is as long
     * as from there: so the time of a later one is not kept. Whether all were taken is looked up
     * before the clock is read, since that costs a cache miss.
     */
    private void time(Samples samples) throws InterruptedException {
      boolean isFirst = Words.getAcquire(pair.taken) == calls - 1;
      long from = System.nanoTime();
      if (isFirst) {
        Words.setOpaque(pair.first, calls);
        Words.setOpaque(pair.firstNs, from);
      }
      pair.signal.publish(calls);
      samples.add(from, System.nanoTime());
      samples.readClock(2);
    }

    @Override
    public int leave(int line, Samples samples) throws InterruptedException {
      pair.signal.publish(END + calls);
      return 0;
    }
  }

  private final class Waiter extends LinePair implements Player {
    private final WakeupPair pair;
    private long taken;
    private boolean isOver;

    Waiter(WakeupPair pair) {
      this.pair = pair;
    }

    @Override
    public int run(Task task, Samples samples) throws InterruptedException {
      int done = 0;
      while (done < task.count() && !isOver) {
        pause(waiterPauseNs);
        samples.aboutToTime();
        done += take(samples);
      }
      return done;
    }

    /**
     * Waits for a call, and takes all that came; returns how many. The wake-up is timed where there
     * was something to wait for and the first of them says when it began.
     */
    private int take(Samples samples) throws InterruptedException {
      boolean hasToWait = pair.signal.published() == taken;
      long seen = pair.signal.await(taken + 1);
      boolean isTimed = hasToWait && Words.getOpaque(pair.first) == taken + 1;
      long now = isTimed ? System.nanoTime() : 0;
      isOver = seen >= END;
      if (seen >= Signal.STOPPED) {
        return 0;
      }
      int came = (int) ((seen & END - 1) - taken);
      if (isTimed) {
        samples.add(Words.getOpaque(pair.firstNs), now);
        samples.readClock(1);
      }
      taken += came;
      Words.setRelease(pair.taken, taken); // and not before: another time is kept from then on
      samples.tally(WAKE_UPS, came, hasToWait && came > 0 ? 1 : 0);
      return came;
    }

    /** Takes what is still to come. */
    @Override
    public int leave(int line, Samples samples) throws InterruptedException {
      return run(new Task(line, Integer.MAX_VALUE, 0, 0), samples);
    }
  }
}
