package threadping.probe.engine;

import java.util.Arrays;
import java.util.stream.IntStream;
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;

/** What all threads of a trial share besides the cells. */
final class Scene {
  final Request request;
  final Experiment experiment;
  final Mechanism mechanism;
  final Stage stage;
  final Result result;
  final boolean isStream;
  final Orders orders = new Orders();
  final Gate gate = new Gate();
  final Board[] boards;

  /** When the bound has passed. */
  final long deadline;

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
    Arrays.setAll(boards, thread -> new Board());
    this.deadline = System.nanoTime() + request.boundNs;
    this.isCrowded = boards.length > Runtime.getRuntime().availableProcessors();
  }

  Role role(int thread) {
    return experiment.role(stage, thread);
  }

  /** The name of the distribution of what this thread times. */
  String timed(int thread) {
    return experiment.timed(mechanism, stage, thread);
  }

  /** How many threads there are for each CPU that they may use; at least 1. */
  double crowd() {
    return Math.max(1, (double) boards.length / Math.max(1, result.cpusInUse().size()));
  }

  /** Where windows are in ops nobody stops between two; and virtual threads have none. */
  boolean readsSwitches() {
    return experiment.windows() == Request.Unit.NS && !mechanism.virtual();
  }

  /** The numbers in /proc of all threads but this, once they stand. */
  int[] otherTasks(int thread) {
    return IntStream.range(0, boards.length)
        .filter(each -> each != thread)
        .map(each -> boards[each].task)
        .toArray();
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
    return Arrays.stream(boards).mapToLong(Board::ops).toArray();
  }

  /** Of these operations of each worker those that are the experiment's. */
  long counted(long[] ops) {
    return IntStream.range(0, ops.length)
        .filter(thread -> role(thread).counts())
        .mapToLong(thread -> ops[thread])
        .sum();
  }

  /** The experiment's operations so far. */
  long ops() {
    return counted(opsOfEach());
  }

  /** Whether there is time left and nobody has failed. */
  boolean goesOn() {
    return failure == null && System.nanoTime() < deadline;
  }
}
