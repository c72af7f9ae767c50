package threadping.probe.experiments.barrier;

import java.util.List;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Param;
import threadping.probe.engine.Role;
import threadping.probe.mechanisms.barriers.Barriers;

/** The experiment {@code barrier}: what it costs to let many threads go and to wait for all. */
public final class BarrierExperiment {
  private static final long MOST = 1_000_000;

  /** Steps of each job, and percent more of the last worker's. */
  static final Param WORK = Param.number("work", 0, 0, MOST);

  static final Param IMBALANCE = Param.number("imbalance", 0, 0, 1_000);

  /** Jobs a round, dealt to the workers round robin; 0: one for each. */
  static final Param JOBS = Param.number("jobs", 0, 0, MOST);

  /** Microseconds between rounds, or from one's beginning to the next one's. */
  static final Param PAUSE = Param.number("pause", 0, 0, 100_000);

  static final Param PACING = Param.text("pacing", List.of("pause", "period"));

  /** Whether the coordinator waits at once, or only before the next round. */
  static final Param JOIN = Param.text("join", List.of("yes", "no"));

  public static final Experiment EXPERIMENT =
      new Experiment(
          "barrier",
          List.of(
              new Role(
                  "coordinator",
                  true,
                  List.of(number("first"), number("last"), number("spread"), number("done")),
                  List.of()),
              Role.timingNothing("worker")),
          2,
          Experiment.MOST_THREADS,
          Experiment.Unit.NS,
          "No round ends any more: a worker was not woken, or one is missing.",
          true,
          false,
          Barriers.ALL.stream().map(BarrierExperiment::mechanism).toList());

  private BarrierExperiment() {}

  private static Role.NumberInfo number(String name) {
    return new Role.NumberInfo(name, "ns");
  }

  /** One of these barriers, measured. */
  public static Mechanism mechanism(Barriers.Entry barrier) {
    return new Mechanism(
        barrier.name(),
        barrier.blocking(),
        List.of("call"),
        1,
        List.of(WORK, IMBALANCE, JOBS, PAUSE, PACING, JOIN),
        setup -> new BarrierStage(barrier.maker().apply(setup.threads() - 1), setup));
  }
}
