package threadping.probe.signal;

import java.util.List;
import threadping.probe.crew.Experiment;
import threadping.probe.message.Request;
import threadping.probe.signal.mechanisms.Mechanisms;

/** The experiment {@code signal}: one thread tells another. */
public final class Signal {
  public static final Experiment EXPERIMENT =
      new Experiment(
          "signal",
          List.of("ping", "pong"),
          2,
          2,
          Request.Unit.OPS,
          "No hand-over arrives any more: a signal was lost.",
          Mechanisms.ALL);

  private Signal() {}
}
