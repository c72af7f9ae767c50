package threadping.probe.engine;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import threadping.probe.Failure;
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;
import threadping.probe.platform.Clock;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Native;
import threadping.probe.platform.Pinning;
import threadping.probe.platform.SafepointLog;
import threadping.probe.platform.Skew;
import threadping.probe.platform.Threads;

/** One trial of one mechanism: a request in, a result out. */
public final class Trial {
  /** Where the virtual machine logs its stops, if it was told to: in the working directory. */
  private static final Path SAFEPOINTS = Path.of("safepoints.log");

  /** Pairs of CPUs whose clocks are compared: some milliseconds each, twice. */
  private static final int MOST_COMPARED = 8;

  private Trial() {}

  /**
   * Measures what a request about this experiment asks for, which is none that {@link
   * Native#refuse} refuses. Throws Failure for what the contract calls an error; threads may remain
   * then, and the process should end soon.
   */
  public static Result run(Request request, Experiment experiment) {
    if (request.pinsProcess && !request.namedCpus().isEmpty()) {
      Pinning.pinProcess(request.namedCpus());
    }
    for (Mechanism mechanism : experiment.mechanisms()) {
      if (mechanism.name().equals(request.mechanism)) {
        return run(request, experiment, mechanism, Threads::make);
      }
    }
    throw new IllegalArgumentException(request.mechanism);
  }

  /** The same of threads that are made in this way. */
  static Result run(
      Request request, Experiment experiment, Mechanism mechanism, Threads.Maker maker) {
    Stage stage = madeAtHome(request, mechanism);
    List<String> roles =
        IntStream.range(0, request.cpus.size())
            .mapToObj(thread -> experiment.roles().get(stage.roleOf(thread)).name())
            .toList();
    Result result = new Result(roles);
    result.experiment = experiment.name();
    result.mechanism = mechanism.name();
    result.clock = Clock.measure();
    Set<List<Integer>> compared = comparedCpus(request.cpus, stage);
    Skew.farthest(compared);
    Scene scene = new Scene(request, experiment, mechanism, stage, result);
    for (String timed : mechanism.timed()) {
      result.distributions.put(timed, new Histogram().distribution("ns"));
    }
    new Team(scene, maker).run();
    result.skew = Skew.farthest(compared);
    result.pauses = SafepointLog.read(SAFEPOINTS);
    Map<String, Result.Held> held = stage.counts(scene.opsOfEach());
    if (held.isEmpty()) {
      result.counts.clear();
    }
    result.counts.putAll(held);
    refuseDifferences(result.counts);
    result.homeNodes = stage.memory() == 0 ? null : Lines.nodes(stage.memory());
    return result;
  }

  /**
   * The cells' memory outside the heap stands where the request wants it: what a thread touches
   * first stands on its node. The cells themselves are made by this thread, which may run anywhere:
   * java.util.concurrent asks how many CPUs there are, and a pinned thread is told of its own (an
   * Exchanger that knows of one CPU never spins: 31 us a hand-over instead of 0.24).
   */
  private static Stage madeAtHome(Request request, Mechanism mechanism) {
    Params params = Params.of(mechanism, request.params);
    Stage stage =
        mechanism
            .maker()
            .stage(new Mechanism.Setup(params, request.lines, request.cpus.size(), request.seed));
    FutureTask<Stage> touch =
        new FutureTask<>(
            () -> {
              if (request.home != null) {
                Pinning.pinThisThread(request.home);
              }
              Lines.touch();
              return stage;
            });
    Threads.make(false, "home", touch).start();
    try {
      return touch.get();
    } catch (InterruptedException | ExecutionException error) {
      throw error.getCause() instanceof Failure told ? told : new IllegalStateException(error);
    }
  }

  /** The CPUs of threads that hold their readings against each other's, by two. */
  static Set<List<Integer>> comparedCpus(List<Integer> cpus, Stage stage) {
    Set<List<Integer>> pairs = new LinkedHashSet<>();
    for (int one = 0; one < cpus.size(); one++) {
      for (int other = one + 1; other < cpus.size() && pairs.size() < MOST_COMPARED; other++) {
        Integer first = cpus.get(one);
        Integer second = cpus.get(other);
        boolean isPinned = first != null && second != null && !first.equals(second);
        if (isPinned && stage.comparesClocks(one, other)) {
          pairs.add(List.of(Math.min(first, second), Math.max(first, second)));
        }
      }
    }
    return pairs;
  }

  private static void refuseDifferences(Map<String, Result.Held> counts) {
    counts.forEach(
        (name, held) -> {
          long lost = held.made() - held.found();
          if (held.exact() && lost != 0) {
            throw Failure.Code.COUNT_WRONG.failure(
                "Of %,d %s that were made, %,d were found: %,d %s.",
                held.made(), name, held.found(), Math.abs(lost), lost > 0 ? "lost" : "doubled");
          }
        });
  }
}
