package threadping.probe.experiments.signal;

import java.util.ArrayList;
import java.util.List;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Role;
import threadping.probe.mechanisms.signals.Signals;
import threadping.probe.waits.Waits;

/** The experiment {@code signal}: one thread signals another. */
public final class SignalExperiment {
  /** The number of lines of a mechanism that spins. */
  public static final int LINES = 256;

  private static final List<String> ROUND_TRIP = List.of("round-trip");

  public static final Experiment EXPERIMENT =
      new Experiment(
          "signal",
          List.of(new Role("ping", true), new Role("pong", true)),
          2,
          2,
          Experiment.Unit.OPS,
          "No handoff arrives any more: a signal was lost.",
          false,
          false,
          mechanisms());

  private SignalExperiment() {}

  /** Streams, and what else links lambdas of Java's own, would cost every trial milliseconds. */
  private static List<Mechanism> mechanisms() {
    List<Mechanism> all = new ArrayList<>();
    Signals.SPINNING.forEach(signal -> all.add(spinning(signal)));
    Signals.BLOCKING.forEach(signal -> all.add(blocking(signal)));
    return all;
  }

  /** How the waiting side passes the time between two polls is a parameter. */
  public static Mechanism spinning(Signals.Spinning signal) {
    return new Mechanism(
        signal.name(),
        false,
        ROUND_TRIP,
        LINES,
        Waits.PARAMS,
        setup ->
            new SignalStage(
                signal.protocol().pairs(setup.lines(), Waits.of(setup.params())), setup.lines()));
  }

  /** One line: compared with a wake-up, its place in the cache is negligible. */
  public static Mechanism blocking(Signals.Blocking signal) {
    return new Mechanism(
        signal.name(),
        true,
        ROUND_TRIP,
        1,
        signal.params(),
        signal.virtual(),
        null,
        setup -> new SignalStage(signal.pairs(setup.params(), setup.lines()), setup.lines()));
  }
}
