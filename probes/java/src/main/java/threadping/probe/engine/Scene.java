package threadping.probe.engine;

import java.util.List;
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;

/** What all threads of a trial share besides the cells. */
final class Scene {
  /** Of so many others the run delay is looked at. */
  private static final int MOST_OTHERS = 7;

  final Request request;
  final Experiment experiment;
  final Mechanism mechanism;
  final Stage stage;
  final Result result;
  final boolean isStream;
  final Orders orders = new Orders();
  final Gate gate = new Gate();
  final Board[] boards;

  /** Whether each thread's operations are the experiment's. */
  final boolean[] counts;

  /** When the bound has passed; known when the threads start. */
  volatile long deadline = Long.MAX_VALUE;

  /** How many threads can run at once; the lead tells it as soon as they stand. */
  int running;

  /** Whether there are more threads than CPUs: whoever waits gives way at once. */
  final boolean isCrowded;

  /** The first failure; there is nothing to measure then. */
  private volatile Throwable failure;

  Scene(Request request, Experiment experiment, Mechanism mechanism, Stage stage, Result result) {
    this.request = request;
    this.experiment = experiment;
    this.mechanism = mechanism;
    this.stage = stage;
    this.result = result;
    this.isStream = experiment.stream();
    this.boards = new Board[request.cpus.size()];
    this.running = boards.length;
    this.counts = new boolean[boards.length];
    for (int thread = 0; thread < boards.length; thread++) {
      boards[thread] = new Board();
      counts[thread] = role(thread).counts();
    }
    this.isCrowded = boards.length > Runtime.getRuntime().availableProcessors();
  }

  Role role(int thread) {
    return experiment.roles().get(stage.roleOf(thread));
  }

  /** The name of the distribution of what this thread times. */
  String timed(int thread) {
    List<String> timed = mechanism.timed();
    return timed.get(Math.min(stage.roleOf(thread), timed.size() - 1));
  }

  /** How many threads there are for each CPU that they may use; at least 1. */
  double crowd() {
    return (double) boards.length / running;
  }

  /** Where windows are in ops nobody stops between two; and virtual threads have none. */
  boolean readsSwitches() {
    return experiment.windows() == Request.Unit.NS && !mechanism.virtual();
  }

  /** The numbers in /proc of all threads but this, once they stand; none where they are many. */
  int[] otherTasks(int thread) {
    int[] others = new int[boards.length > MOST_OTHERS + 1 ? 0 : boards.length - 1];
    for (int each = 0; each < others.length; each++) {
      others[each] = boards[each < thread ? each : each + 1].task;
    }
    return others;
  }

  /** What fails first is the cause of what may fail next. */
  synchronized void fail(Throwable error) {
    failure = failure == null ? error : failure;
  }

  Throwable failure() {
    return failure;
  }

  /** The operations of each worker so far. */
  long[] opsOfEach() {
    long[] ops = new long[boards.length];
    for (int thread = 0; thread < ops.length; thread++) {
      ops[thread] = boards[thread].ops;
    }
    return ops;
  }

  /** The experiment's operations so far. */
  long ops() {
    long sum = 0;
    for (int thread = 0; thread < boards.length; thread++) {
      sum += counts[thread] ? boards[thread].ops : 0;
    }
    return sum;
  }

  /** The same that each worker had completed when it began to measure. */
  long opsBefore() {
    long sum = 0;
    for (int thread = 0; thread < boards.length; thread++) {
      sum += counts[thread] ? boards[thread].opsBefore : 0;
    }
    return sum;
  }

  /** The same of each worker from there until it ended to. */
  long measuredOps() {
    long sum = 0;
    for (int thread = 0; thread < boards.length; thread++) {
      sum += counts[thread] ? boards[thread].measuredOps : 0;
    }
    return sum;
  }

  /** Whether there is time left and nobody has failed. */
  boolean goesOn() {
    return failure == null && System.nanoTime() < deadline;
  }
}
