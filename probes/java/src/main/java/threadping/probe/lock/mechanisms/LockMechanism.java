package threadping.probe.lock.mechanisms;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import threadping.probe.Mechanism;
import threadping.probe.Param;
import threadping.probe.platform.Fillers;

/** A way for threads to share a counter. */
public abstract class LockMechanism extends Mechanism {
  private static final long MOST_STEPS = 1_000_000;

  public static final Param CRITICAL =
      Param.number(
          "critical",
          0,
          0,
          MOST_STEPS,
          "Steps of work before each increment; inside the lock where there is one.");

  public static final Param OUTSIDE =
      Param.number(
          "outside", 0, 0, MOST_STEPS, "Steps of work between two operations of a thread.");

  private static final int LINES = 8;

  /**
   * What keeps the latest cells apart; nobody else holds it, and a collector would take it away.
   */
  private Fillers fillers;

  protected LockMechanism(String name, String summary, String cpuCost) {
    super(name, summary, cpuCost);
  }

  @Override
  public final int lines() {
    return LINES;
  }

  @Override
  public final List<Param> params() {
    return List.of(CRITICAL, OUTSIDE);
  }

  /** Whether no increment may be lost. */
  public boolean exact() {
    return true;
  }

  /** So many cells for so many threads. */
  public abstract Cell[] cells(int count, int threads);

  /** So many cells in the heap, each made with room around it, and around what it is made of. */
  final Cell[] inHeap(int count, Function<Fillers, Cell> cell) {
    fillers = new Fillers();
    return Stream.generate(() -> cell.apply(fillers)).limit(count).toArray(Cell[]::new);
  }
}
