package threadping.probe.notify;

import java.util.List;
import java.util.stream.Stream;
import threadping.probe.crew.Experiment;
import threadping.probe.crew.Mechanism;
import threadping.probe.crew.Param;
import threadping.probe.crew.Params;
import threadping.probe.mechanisms.signals.Signals;
import threadping.probe.message.Request;
import threadping.probe.platform.Lines;

/** The experiment {@code notify}: what the call costs that wakes another thread. */
public final class Notify {
  private static final long MICROSECOND = 1000;
  private static final long LONGEST_PAUSE = 100_000;

  /** A virtual notifier that never parks leaves the others no carrier: nobody takes it away. */
  private static final long SHORTEST_PARK_NS = 1;

  /** The bytes that a notifier fills before each call, as published. */
  private static final Param BUFFER = Param.number("buffer", 4096, 0, 1 << 20);

  /** The notifier's pause after each call, in microseconds ... */
  private static final Param PAUSE = Param.number("pause", 1000, 0, LONGEST_PAUSE);

  /** ... and the waiter's after each wake-up. */
  private static final Param WAITER_PAUSE = Param.number("waiter-pause", 10, 0, LONGEST_PAUSE);

  private static final List<Param> PARAMS = List.of(BUFFER, PAUSE, WAITER_PAUSE);

  /** What notifiers time, and what waiters do. */
  private static final List<String> TIMED = List.of("call", "wake");

  public static final Experiment EXPERIMENT =
      new Experiment(
              "notify",
              List.of("notifier", "waiter"),
              2,
              Request.MOST_THREADS,
              Request.Unit.NS,
              "No waiter wakes any more: a call was lost.",
              Signals.BLOCKING.stream()
                  .filter(signal -> !signal.meets())
                  .map(Notify::mechanism)
                  .toList())
          .comparingClocks();

  private Notify() {}

  private static Mechanism mechanism(Signals.Blocking signal) {
    long leastPauseNs = signal.virtual() ? SHORTEST_PARK_NS : 0;
    Mechanism mechanism =
        new Mechanism(
            signal.name(),
            true,
            TIMED,
            1,
            Stream.concat(signal.params().stream(), PARAMS.stream()).toList(),
            (params, lines, threads) ->
                new NotifyLoops(
                    () -> signal.maker().signal(params, new Lines(1).start(), null),
                    lines,
                    threads,
                    rounds(params, leastPauseNs)));
    return signal.virtual() ? mechanism.onVirtualThreads() : mechanism;
  }

  private static NotifyLoops.Rounds rounds(Params params, long leastPauseNs) {
    return new NotifyLoops.Rounds(
        (int) params.number(BUFFER.name),
        MICROSECOND * params.number(PAUSE.name),
        MICROSECOND * params.number(WAITER_PAUSE.name),
        leastPauseNs);
  }
}
