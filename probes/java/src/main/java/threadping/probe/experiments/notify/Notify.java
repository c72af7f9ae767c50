package threadping.probe.experiments.notify;

import static threadping.probe.Failure.Code.BAD_REQUEST;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Held;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Param;
import threadping.probe.engine.Player;
import threadping.probe.engine.Role;
import threadping.probe.engine.Stage;
import threadping.probe.mechanisms.signals.Signals;

/** The experiment {@code notify}: what the call costs that wakes another thread. */
public final class Notify {
  private static final long MICROSECOND = 1000;
  private static final long LONGEST_PAUSE = 100_000;

  /** The bytes that a notifier fills before each call, as published. */
  private static final Param BUFFER = Param.number("buffer", 4096, 0, 1 << 20);

  /** The notifier's pause between two calls, in microseconds ... */
  private static final Param PAUSE = Param.number("pause", 1000, 0, LONGEST_PAUSE);

  /** ... and the waiter's between two waits. */
  private static final Param WAITER_PAUSE = Param.number("waiter-pause", 10, 0, LONGEST_PAUSE);

  public static final Experiment EXPERIMENT =
      new Experiment(
          "notify",
          List.of(
              new Role("notifier", true),
              new Role("waiter", false, List.of(), List.of("wake-ups"))),
          2,
          Experiment.MOST_THREADS,
          Experiment.Unit.NS,
          "No waiter wakes any more: a call was lost.",
          true,
          false,
          Signals.BLOCKING.stream()
              .filter(signal -> !signal.meets())
              .map(Notify::mechanism)
              .toList());

  private Notify() {}

  /** One of these signals, measured: what notifiers time, and what waiters do. */
  public static Mechanism mechanism(Signals.Blocking signal) {
    return new Mechanism(
        signal.name(),
        true,
        List.of("call", "wake"),
        1,
        Stream.concat(signal.params().stream(), Stream.of(BUFFER, PAUSE, WAITER_PAUSE)).toList(),
        signal.virtual() ? Mechanism.Runtime.VIRTUAL_THREADS : Mechanism.Runtime.ANY,
        null,
        setup -> new Crowd(new Pairs(pairs(setup.threads()), signal, setup)));
  }

  private static int pairs(int threads) {
    if (threads % 2 != 0) {
      throw BAD_REQUEST.failure(
          "notify takes pairs of threads, each a notifier and a waiter, not %d threads.", threads);
    }
    return threads / 2;
  }

  /** Thread by thread a notifier and its waiter. */
  private record Crowd(Pairs pairs) implements Stage {
    @Override
    public int roleOf(int thread) {
      return thread % 2;
    }

    @Override
    public Player player(int thread) {
      return roleOf(thread) == 0 ? pairs.notifier(thread / 2) : pairs.waiter(thread / 2);
    }

    @Override
    public boolean comparesClocks(int one, int other) {
      return one / 2 == other / 2;
    }

    @Override
    public void stop(int line) {
      pairs.stop();
    }

    @Override
    public long progress(int line) {
      return pairs.calls() + pairs.taken();
    }

    @Override
    public Map<String, Held> counts(long[] ops) {
      long made =
          IntStream.range(0, ops.length).filter(i -> roleOf(i) == 0).mapToLong(i -> ops[i]).sum();
      return pairs.wasStopped() ? Map.of() : Map.of("calls", new Held(made, pairs.taken(), true));
    }
  }

  /** How long a notifier or a waiter pauses, and what a notifier fills. */
  record Rounds(int buffer, long pauseNs, long waiterPauseNs) {
    /** A virtual notifier that never pauses leaves the others no carrier: it pauses a moment. */
    static Rounds of(Mechanism.Setup setup, boolean virtual) {
      long pauseNs = MICROSECOND * setup.params().number(PAUSE.name());
      return new Rounds(
          (int) setup.params().number(BUFFER.name()),
          virtual ? Math.max(1, pauseNs) : pauseNs,
          MICROSECOND * setup.params().number(WAITER_PAUSE.name()));
    }
  }
}
