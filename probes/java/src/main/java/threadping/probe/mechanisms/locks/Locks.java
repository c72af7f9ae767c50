package threadping.probe.mechanisms.locks;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import threadping.probe.engine.Mechanism.Setup;
import threadping.probe.platform.Lines;

/** Every lock, and every counter that needs none: a new one is one new file and one line here. */
public final class Locks {
  /**
   * One of them.
   *
   * @param isLock whether it has a lock, for which threads sleep
   * @param isExact whether no increment may be lost
   */
  public record Entry(String name, boolean isLock, boolean isExact, Function<Setup, Cells> cells) {}

  /** The cells of a trial, one for each line; the address of the first, 0 in the heap. */
  public record Cells(Cell[] cells, long memory) {}

  public static final List<Entry> ALL =
      List.of(
          lock("monitor", Monitor::new),
          lock("reentrant-lock", () -> new Reentrant(new ReentrantLock())),
          lock("reentrant-lock-fair", () -> new Reentrant(new ReentrantLock(true))),
          lock("stamped-lock", Stamped::new),
          lock("semaphore", Semaphore::new),
          counter("cas-loop", true, inHeap(CasLoop::new)),
          counter("get-and-add", true, inHeap(GetAndAdd::new)),
          counter("long-adder", true, inHeap(Adder::new)),
          counter("single-writer-release", true, own(OwnCounters.APART)),
          counter("false-sharing", true, own(OwnCounters.SIDE_BY_SIDE)),
          counter("unprotected", false, inHeap(Unprotected::new)));

  private Locks() {}

  private static Entry lock(String name, Supplier<Cell> cell) {
    return new Entry(name, true, true, inHeap(cell));
  }

  private static Entry counter(String name, boolean isExact, Function<Setup, Cells> cells) {
    return new Entry(name, false, isExact, cells);
  }

  /**
   * Cells with room around their counters; threads that work on one line leave the others alone.
   */
  private static Function<Setup, Cells> inHeap(Supplier<Cell> cell) {
    return setup -> {
      Cell[] cells = new Cell[setup.lines()];
      Arrays.setAll(cells, line -> cell.get());
      return new Cells(cells, 0);
    };
  }

  private static Function<Setup, Cells> own(int distance) {
    return setup -> {
      Lines lines = OwnCounters.lines(setup.lines(), setup.threads(), distance);
      Cell[] cells = new Cell[setup.lines()];
      Arrays.setAll(cells, line -> new OwnCounters(lines.first(line), setup.threads(), distance));
      return new Cells(cells, lines.start());
    };
  }
}
