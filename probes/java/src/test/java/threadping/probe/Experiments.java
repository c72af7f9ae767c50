package threadping.probe;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Predicate;
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Stage;
import threadping.probe.engine.Trial;
import threadping.probe.experiments.lock.Lock;
import threadping.probe.experiments.notify.Notify;
import threadping.probe.experiments.paced.Paced;
import threadping.probe.experiments.ring.Ring;
import threadping.probe.experiments.signal.Signal;

/** Those of the probe, and what a test makes of one. */
public final class Experiments {
  public static final List<Experiment> ALL =
      List.of(
          Signal.EXPERIMENT, Lock.EXPERIMENT, Notify.EXPERIMENT, Ring.EXPERIMENT, Paced.EXPERIMENT);

  private Experiments() {}

  /** The same with one mechanism only, whose stage is made so. */
  public static Experiment with(Experiment experiment, Mechanism.Maker maker) {
    List<String> timed = experiment.mechanisms().get(0).timed();
    return with(experiment, new Mechanism("made-up", false, timed, 1, List.of(), maker));
  }

  /** The same with this mechanism only. */
  public static Experiment with(Experiment experiment, Mechanism mechanism) {
    return new Experiment(
        experiment.name(),
        experiment.roles(),
        experiment.leastThreads(),
        experiment.mostThreads(),
        experiment.windows(),
        experiment.stalled(),
        experiment.stream(),
        experiment.openLoop(),
        List.of(mechanism));
  }

  /** A trial of this stage in place of those of its mechanisms. */
  public static Result run(Request request, Experiment experiment, Stage stage) {
    return run(request, with(experiment, setup -> stage));
  }

  /**
   * A trial of which this holds; one whose threads got no CPU, on a busy machine, gets more time.
   */
  public static Result until(Predicate<Result> enough, Request request, Experiment experiment) {
    Result result = Trial.run(request, experiment);
    for (;
        !enough.test(result) && request.measureNs < 5_000 * Requests.MS;
        request.measureNs *= 4) {
      result = Trial.run(request, experiment);
    }
    assertTrue(enough.test(result));
    return result;
  }

  /** A trial of its only mechanism. */
  public static Result run(Request request, Experiment experiment) {
    request.mechanism = experiment.mechanisms().get(0).name();
    return Trial.run(request, experiment);
  }
}
