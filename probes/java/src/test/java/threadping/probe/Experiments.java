package threadping.probe;

import java.util.List;
import threadping.probe.crew.Experiment;
import threadping.probe.crew.Loops;
import threadping.probe.crew.Mechanism;
import threadping.probe.crew.Trial;
import threadping.probe.lock.Lock;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.notify.Notify;
import threadping.probe.ring.Ring;
import threadping.probe.signal.Signal;

/** Those of the probe, and what a test makes of one. */
public final class Experiments {
  public static final List<Experiment> ALL =
      List.of(Signal.EXPERIMENT, Lock.EXPERIMENT, Notify.EXPERIMENT, Ring.EXPERIMENT);

  private Experiments() {}

  /** The same with one mechanism only, whose loops are made so. */
  public static Experiment with(Experiment experiment, Mechanism.Maker loops) {
    List<String> timed = experiment.mechanisms.get(0).timed;
    Mechanism mechanism = new Mechanism("made-up", false, timed, 1, List.of(), loops);
    Experiment other =
        new Experiment(
            experiment.name,
            experiment.roles,
            experiment.leastThreads,
            experiment.mostThreads,
            experiment.windows,
            experiment.stalled,
            List.of(mechanism));
    other.inTurn = experiment.inTurn;
    other.comparesClocks = experiment.comparesClocks;
    return other;
  }

  /** A trial of these loops in place of those of its mechanism. */
  public static Result run(Request request, Experiment experiment, Loops loops) {
    Experiment madeUp = with(experiment, (params, lines, threads) -> loops);
    request.mechanism = madeUp.mechanisms.get(0).name;
    return Trial.run(request, madeUp);
  }
}
