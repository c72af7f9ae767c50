package threadping.probe.crew;

import java.util.Arrays;
import java.util.stream.IntStream;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.platform.Fillers;

/** What all threads of a trial share besides the cells. */
final class Scene {
  private static final Request.Outliers REHEARSED = new Request.Outliers();

  static {
    REHEARSED.leastNs = 2; // idle loops of one kind take as long, so some visits look
  }

  final Request request;

  /** Keeps apart what different threads write; it lasts as long as this does. */
  final Fillers fillers = new Fillers();

  final Orders orders = fillers.apart(Orders::new);

  final Gate gate = fillers.apart(Gate::new);

  final Board[] boards;

  /** When the bound has passed. */
  final long deadline;

  final Result result;

  /** Whether there are more threads than CPUs: whoever waits gives way at once. */
  final boolean isCrowded;

  /** Whether the threads are virtual ones. */
  boolean isVirtual;

  /** The trial's own, or idle ones in a rehearsal; they change while all rest. */
  private Loops loops;

  private int weight;

  private Request.Outliers outliers;

  /** The first failure; there is nothing to measure then. */
  private volatile Throwable failure;

  Scene(Request request, Loops loops, Result result) {
    this.request = request;
    this.boards = new Board[request.cpus.size()];
    Arrays.setAll(boards, thread -> fillers.apart(Board::new));
    this.deadline = System.nanoTime() + request.boundNs;
    this.result = result;
    this.isCrowded = boards.length > Runtime.getRuntime().availableProcessors();
    perform(loops, 1);
  }

  /** From the next order on; an operation counts so much. */
  void perform(Loops newLoops, int newWeight) {
    loops = newLoops;
    weight = newWeight;
    outliers = newWeight == 0 ? REHEARSED : request.outliers;
  }

  Loops loops() {
    return loops;
  }

  int weight() {
    return weight;
  }

  /** What takes long just now: in a rehearsal, in which nothing counts, a nanosecond. */
  Request.Outliers outliers() {
    return outliers;
  }

  /** The numbers in /proc of all threads but this, once they stand. */
  int[] otherTasks(int thread) {
    return IntStream.range(0, boards.length)
        .filter(each -> each != thread)
        .map(each -> boards[each].task)
        .toArray();
  }

  /** How many threads' operations count. */
  long counted() {
    return IntStream.range(0, boards.length).filter(loops::counted).count();
  }

  /** What fails first is the cause of what may fail next. */
  synchronized void fail(Throwable error) {
    failure = failure == null ? error : failure;
  }

  Throwable failure() {
    return failure;
  }

  /** The operations of all members together, so far. */
  long ops() {
    long all = 0;
    for (Board board : boards) {
      all += board.ops;
    }
    return all;
  }

  /** Whether there is time left and nobody has failed. */
  boolean goesOn() {
    return failure == null && System.nanoTime() < deadline;
  }
}
