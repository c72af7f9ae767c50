package threadping.probe.lock.mechanisms;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Function;
import java.util.function.Supplier;
import threadping.probe.crew.Mechanism;
import threadping.probe.crew.Param;
import threadping.probe.crew.Params;
import threadping.probe.lock.Cell;
import threadping.probe.lock.LockLoops;
import threadping.probe.platform.Fillers;
import threadping.probe.platform.Lines;

/** Every mechanism of the lock experiment: a new one is one new file and one line here. */
public final class Mechanisms {
  private static final long MOST_STEPS = 1_000_000;

  /** Steps of work before each increment, inside the lock where there is one ... */
  private static final Param CRITICAL = Param.number("critical", 0, 0, MOST_STEPS);

  /** ... and between two operations of a thread. */
  private static final Param OUTSIDE = Param.number("outside", 0, 0, MOST_STEPS);

  private static final List<Param> PARAMS = List.of(CRITICAL, OUTSIDE);
  private static final int LINES = 8;

  public static final List<Mechanism> ALL =
      List.of(
          locking("monitor", fillers -> fillers.apart(Monitor::new)),
          locking("reentrant-lock", around(ReentrantLock::new, Reentrant::new)),
          locking("reentrant-lock-fair", around(() -> new ReentrantLock(true), Reentrant::new)),
          locking("stamped-lock", around(StampedLock::new, Stamped::new)),
          locking("semaphore", around(() -> new java.util.concurrent.Semaphore(1), Semaphore::new)),
          lockless("cas-loop", inHeap(true, fillers -> fillers.apart(CasLoop::new))),
          lockless("get-and-add", inHeap(true, fillers -> fillers.apart(GetAndAdd::new))),
          lockless("long-adder", inHeap(true, around(LongAdder::new, Adder::new))),
          lockless("single-writer-release", ownCounters(OwnCounters.APART)),
          lockless("false-sharing", ownCounters(OwnCounters.SIDE_BY_SIDE)),
          lockless("unprotected", inHeap(false, fillers -> fillers.apart(Unprotected::new))));

  private Mechanisms() {}

  /** One with a lock, whose waiting threads sleep. */
  private static Mechanism locking(String name, Function<Fillers, Cell> cell) {
    return new Mechanism(name, true, List.of("acquire"), LINES, PARAMS, inHeap(true, cell));
  }

  /** One without: no thread sleeps for another. */
  private static Mechanism lockless(String name, Mechanism.Maker maker) {
    return new Mechanism(name, false, List.of("increment"), LINES, PARAMS, maker);
  }

  /** A cell around an object of its own, each with room around it. */
  private static <L> Function<Fillers, Cell> around(Supplier<L> lock, Function<L, Cell> cell) {
    return fillers -> {
      L made = fillers.apart(lock);
      return fillers.apart(() -> cell.apply(made));
    };
  }

  /** Cells in the heap, each made with room around it, and around what it is made of. */
  private static Mechanism.Maker inHeap(boolean exact, Function<Fillers, Cell> cell) {
    return (params, lines, threads) -> {
      Fillers fillers = new Fillers();
      Cell[] cells = new Cell[lines];
      Arrays.setAll(cells, line -> cell.apply(fillers));
      return loops(cells, params, exact, fillers);
    };
  }

  private static Mechanism.Maker ownCounters(int distance) {
    return (params, count, threads) -> {
      Lines lines = OwnCounters.lines(count, threads, distance);
      Cell[] cells = new Cell[count];
      Arrays.setAll(cells, line -> new OwnCounters(lines.first(line), threads, distance));
      return loops(cells, params, true, lines);
    };
  }

  private static LockLoops loops(Cell[] cells, Params params, boolean exact, Object room) {
    int critical = (int) params.number(CRITICAL.name);
    int outside = (int) params.number(OUTSIDE.name);
    return new LockLoops(cells, critical, outside, exact, room);
  }
}
