package threadping.probe.signal;

import java.util.List;
import java.util.stream.Stream;
import threadping.probe.crew.Experiment;
import threadping.probe.crew.Mechanism;
import threadping.probe.mechanisms.signals.Signals;
import threadping.probe.message.Request;
import threadping.probe.waits.Waits;

/** The experiment {@code signal}: one thread tells another. */
public final class Signal {
  private static final List<String> ROUND_TRIP = List.of("round-trip");

  public static final Experiment EXPERIMENT =
      new Experiment(
          "signal",
          List.of("ping", "pong"),
          2,
          2,
          Request.Unit.OPS,
          "No hand-over arrives any more: a signal was lost.",
          Stream.concat(
                  Signals.SPINNING.stream().map(Signal::spinning),
                  Signals.BLOCKING.stream().map(Signal::blocking))
              .toList());

  private Signal() {}

  /** How the waiting side passes the time between two looks is a parameter. */
  static Mechanism spinning(Signals.Spinning signal) {
    return new Mechanism(
        signal.name(),
        false,
        ROUND_TRIP,
        256,
        Waits.PARAMS,
        (params, lines, threads) ->
            new SignalLoops(signal.protocol().pairs(lines, Waits.of(params)), lines));
  }

  /** One line: beside a wake-up its place in the cache is nothing. */
  static Mechanism blocking(Signals.Blocking signal) {
    Mechanism mechanism =
        new Mechanism(
            signal.name(),
            true,
            ROUND_TRIP,
            1,
            signal.params(),
            (params, lines, threads) -> new SignalLoops(signal.pairs(params, lines), lines));
    return signal.virtual() ? mechanism.onVirtualThreads() : mechanism;
  }
}
