package threadping.probe.experiments.wakeup;

import java.util.List;
import java.util.stream.Stream;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Param;
import threadping.probe.engine.Role;
import threadping.probe.mechanisms.signals.Signals;

/** The experiment {@code wakeup}: what the call costs that wakes another thread. */
public final class WakeupExperiment {
  private static final long LONGEST_PAUSE = 100_000;

  /** The bytes that a notifier fills before each call, as published. */
  static final Param BUFFER = Param.number("message-bytes", 4096, 0, 1 << 20);

  /** The notifier's pause between two calls, in microseconds ... */
  static final Param PAUSE = Param.number("pause", 1000, 0, LONGEST_PAUSE);

  /** ... and the waiter's between two waits. */
  static final Param WAITER_PAUSE = Param.number("waiter-pause", 10, 0, LONGEST_PAUSE);

  public static final Experiment EXPERIMENT =
      new Experiment(
          "wakeup",
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
              .map(WakeupExperiment::mechanism)
              .toList());

  private WakeupExperiment() {}

  /** One of these signals, measured: what notifiers time, and what waiters do. */
  public static Mechanism mechanism(Signals.Blocking signal) {
    return new Mechanism(
        signal.name(),
        true,
        List.of("call", "wake"),
        1,
        Stream.concat(signal.params().stream(), Stream.of(BUFFER, PAUSE, WAITER_PAUSE)).toList(),
        signal.virtual(),
        null,
        setup -> new WakeupStage(signal, setup));
  }
}
