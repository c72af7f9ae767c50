package threadping.probe.crew;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.platform.Fillers;

/** What all threads of a trial share besides the cells. */
final class Scene {
  final Request request;

  /** Keeps apart what different threads write; it lasts as long as this does. */
  final Fillers fillers = new Fillers();

  final Orders orders = fillers.apart(Orders::new);

  /** Odd while a window is open, for whoever times when somebody else opens and closes it. */
  final AtomicLong gate = fillers.apart(AtomicLong::new);

  final Board[] boards;

  /** When the bound has passed. */
  final long deadline;

  final Result result;

  /** The trial's own, or idle ones in a rehearsal; they change while all rest. */
  private Loops loops;

  private int weight;

  /** The first failure; there is nothing to measure then. */
  private volatile Throwable failure;

  Scene(Request request, Loops loops, Result result) {
    this.request = request;
    this.boards = new Board[request.cpus.size()];
    Arrays.setAll(boards, thread -> fillers.apart(Board::new));
    this.deadline = System.nanoTime() + request.boundNs;
    this.result = result;
    perform(loops, 1);
  }

  /** From the next order on; an operation counts so much. */
  void perform(Loops newLoops, int newWeight) {
    loops = newLoops;
    weight = newWeight;
  }

  Loops loops() {
    return loops;
  }

  int weight() {
    return weight;
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
