package threadping.probe.mechanisms.locks;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Function;
import java.util.function.Supplier;
import threadping.probe.engine.Mechanism.Setup;
import threadping.probe.platform.Fillers;
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

  /**
   * The cells of a trial, one for each line. What keeps them apart lasts as long: Lines outside the
   * heap, or Fillers in it.
   */
  public record Cells(Cell[] cells, Object room) {
    /** The address of the first; 0 in the heap. */
    public long memory() {
      return room instanceof Lines lines ? lines.start() : 0;
    }
  }

  public static final List<Entry> ALL =
      List.of(
          lock("monitor", fillers -> fillers.apart(Monitor::new)),
          lock("reentrant-lock", around(ReentrantLock::new, Reentrant::new)),
          lock("reentrant-lock-fair", around(() -> new ReentrantLock(true), Reentrant::new)),
          lock("stamped-lock", around(StampedLock::new, Stamped::new)),
          lock("semaphore", around(() -> new java.util.concurrent.Semaphore(1), Semaphore::new)),
          counter("cas-loop", true, inHeap(fillers -> fillers.apart(CasLoop::new))),
          counter("get-and-add", true, inHeap(fillers -> fillers.apart(GetAndAdd::new))),
          counter("long-adder", true, inHeap(around(LongAdder::new, Adder::new))),
          counter("single-writer-release", true, own(OwnCounters.APART)),
          counter("false-sharing", true, own(OwnCounters.SIDE_BY_SIDE)),
          counter("unprotected", false, inHeap(fillers -> fillers.apart(Unprotected::new))));

  /** A cell, and what it is made of. */
  private static final int OBJECTS = 2;

  private Locks() {}

  private static Entry lock(String name, Function<Fillers, Cell> cell) {
    return new Entry(name, true, true, inHeap(cell));
  }

  private static Entry counter(String name, boolean isExact, Function<Setup, Cells> cells) {
    return new Entry(name, false, isExact, cells);
  }

  /** A cell around an object of its own, each with room around it. */
  private static <L> Function<Fillers, Cell> around(Supplier<L> lock, Function<L, Cell> cell) {
    return fillers -> {
      L made = fillers.apart(lock);
      return fillers.apart(() -> cell.apply(made));
    };
  }

  /** Cells in the heap, each made with room around it, and around what it is made of. */
  private static Function<Setup, Cells> inHeap(Function<Fillers, Cell> cell) {
    return setup -> {
      Lines.refuseTooMuch(OBJECTS * Fillers.BYTES * setup.lines(), "--lines");
      Fillers fillers = new Fillers();
      Cell[] cells = new Cell[setup.lines()];
      Arrays.setAll(cells, line -> cell.apply(fillers));
      return new Cells(cells, fillers);
    };
  }

  private static Function<Setup, Cells> own(int distance) {
    return setup -> {
      Lines lines = OwnCounters.lines(setup.lines(), setup.threads(), distance);
      Cell[] cells = new Cell[setup.lines()];
      Arrays.setAll(cells, line -> new OwnCounters(lines.first(line), setup.threads(), distance));
      return new Cells(cells, lines);
    };
  }
}
