package threadping.probe;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Predicate;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Stage;
import threadping.probe.experiments.barrier.BarrierExperiment;
import threadping.probe.experiments.load.LoadExperiment;
import threadping.probe.experiments.lock.LockExperiment;
import threadping.probe.experiments.queue.QueueExperiment;
import threadping.probe.experiments.signal.SignalExperiment;
import threadping.probe.experiments.wakeup.WakeupExperiment;

/** Those of the probe, and what a test makes of one. */
public final class Experiments {
  public static final List<Experiment> ALL =
      List.of(
          SignalExperiment.EXPERIMENT,
          LockExperiment.EXPERIMENT,
          WakeupExperiment.EXPERIMENT,
          QueueExperiment.EXPERIMENT,
          LoadExperiment.EXPERIMENT,
          BarrierExperiment.EXPERIMENT);

  private Experiments() {}

  /** A trial of this stage in place of those of its mechanisms. */
  public static TrialResult run(TrialRequest request, Experiment experiment, Stage stage) {
    List<String> timed = experiment.mechanisms().get(0).timed();
    Mechanism made = new Mechanism("made-up", false, timed, 1, List.of(), setup -> stage);
    return run(request, experiment.with(made));
  }

  /** A trial of its only mechanism. */
  public static TrialResult run(TrialRequest request, Experiment experiment) {
    request.mechanism = experiment.mechanisms().get(0).name();
    return request.run(experiment);
  }

  /**
   * A trial for which this holds; one whose threads got no CPU, on a busy machine, gets more time.
   * So do its windows: two threads that spin on one CPU hand over once in a time slice, and a
   * window opens when the last of them has taken up its order, with all of its slice before it.
   */
  public static TrialResult until(
      Predicate<TrialResult> enough, TrialRequest request, Experiment experiment) {
    TrialResult result = request.run(experiment);
    while (!enough.test(result) && request.measureNs < 5_000 * TrialRequest.MS) {
      request.measureNs *= 4;
      if (experiment.windows() == Experiment.Unit.NS) {
        request.windows.throughput *= 4;
        request.windows.sampling *= 4;
      }
      result = request.run(experiment);
    }
    assertTrue(enough.test(result));
    return result;
  }
}
