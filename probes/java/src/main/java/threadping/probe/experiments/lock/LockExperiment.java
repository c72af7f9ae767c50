package threadping.probe.experiments.lock;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Held;
import threadping.probe.engine.Mechanism;
import threadping.probe.engine.Param;
import threadping.probe.engine.Player;
import threadping.probe.engine.Role;
import threadping.probe.engine.Samples;
import threadping.probe.engine.Stage;
import threadping.probe.engine.Task;
import threadping.probe.mechanisms.Work;
import threadping.probe.mechanisms.locks.Cell;
import threadping.probe.mechanisms.locks.Locks;

/** The experiment {@code lock}: threads share a counter. */
public final class LockExperiment {
  private static final long MOST_STEPS = 1_000_000;
  private static final int LINES = 8;

  /** Steps of work before each increment, inside the lock where there is one ... */
  private static final Param CRITICAL = Param.number("critical", 0, 0, MOST_STEPS);

  /** ... and between two operations of a thread. */
  private static final Param OUTSIDE = Param.number("outside", 0, 0, MOST_STEPS);

  public static final Experiment EXPERIMENT =
      new Experiment(
          "lock",
          Stream.concat(
                  Stream.of(new Role("contender", true, List.of(), List.of("handoffs"))),
                  Sharing.ROLES.stream())
              .toList(),
          1,
          Experiment.MOST_THREADS,
          Experiment.Unit.NS,
          "No thread gets the lock any more: a release was lost, or the lock deadlocks.",
          false,
          false,
          Locks.ALL.stream().map(LockExperiment::mechanism).toList());

  private LockExperiment() {}

  /** One of these locks, measured. */
  public static Mechanism mechanism(Locks.Entry entry) {
    return new Mechanism(
        entry.name(),
        entry.isLock(),
        List.of(entry.isLock() ? "acquire" : "increment"),
        LINES,
        Stream.of(entry.params(), List.of(CRITICAL, OUTSIDE), writing(entry))
            .flatMap(List::stream)
            .toList(),
        setup -> {
          int critical = (int) setup.params().number(CRITICAL.name());
          int outside = (int) setup.params().number(OUTSIDE.name());
          if (entry.guard() != null && Sharing.isAsked(setup.params())) {
            return new Sharing(setup, entry.guard(), critical, outside);
          }
          return new Counters(entry.cells().apply(setup), entry.isExact(), critical, outside);
        });
  }

  /** The parameters of a lock's writers. */
  private static List<Param> writing(Locks.Entry entry) {
    return entry.guard() == null ? List.of() : List.of(Sharing.WRITERS, Sharing.WRITES);
  }

  /** A counter for each line. */
  private record Counters(Locks.Cells cells, boolean isExact, int critical, int outside)
      implements Stage {
    @Override
    public Player player(int thread) {
      return new Incrementer(thread, cells.cells(), critical, outside);
    }

    @Override
    public int roleOf(int thread) {
      return 0;
    }

    @Override
    public long progress(int line) {
      return cells.cells()[line].found();
    }

    @Override
    public Map<String, Held> counts(long[] ops) {
      long found = Arrays.stream(cells.cells()).mapToLong(Cell::found).sum();
      return Map.of("increments", new Held(Arrays.stream(ops).sum(), found, isExact));
    }

    @Override
    public long memory() {
      return cells.memory();
    }
  }

  /**
   * A contender's increments: in a throughput window the published loop, operations and nothing
   * else, counted, without a look at any flag, so that HotSpot may unroll it and merge sections of
   * a monitor as it did there. What is 0 is tested once, before the loop.
   */
  private static final class Incrementer implements Player {
    private static final int HANDOFFS = 0;

    private final int thread;
    private final Cell[] cells;
    private final int critical;
    private final int outside;
    private final Work work = new Work();

    /** What each counter held when this thread had last added to it while it sampled. */
    private final long[] left;

    /** What it left in the current line, and how often it found something else. */
    private long own;

    private long handoffs;

    Incrementer(int thread, Cell[] cells, int critical, int outside) {
      this.thread = thread;
      this.cells = cells;
      this.critical = critical;
      this.outside = outside;
      this.left = new long[cells.length];
    }

    @Override
    public int run(Task task, Samples samples) {
      if (task.every() == 0) {
        add(cells[task.line()], task.count());
      } else {
        sample(task, samples);
      }
      return task.count();
    }

    private void add(Cell cell, int count) {
      int inside = critical; // locals: a field would be read again after every operation
      int between = outside;
      Work steps = work;
      for (int more = count; more > 0; more--) {
        cell.perform(thread, inside, steps);
        if (between > 0) {
          steps.take(between);
        }
      }
    }

    /** Groups of operations; the one in the middle is timed, so that it is as ordinary as any. */
    private void sample(Task task, Samples samples) {
      Cell cell = cells[task.line()];
      int before = task.every() / 2;
      int timed = 0;
      own = left[task.line()];
      handoffs = 0;
      for (int more = task.count(); more > 0; more -= task.every()) {
        watch(cell, Math.min(before, more));
        if (more > before) {
          note(cell.performTimed(thread, critical, work, samples));
          timed++;
          watch(cell, Math.min(task.every(), more) - before - 1);
        }
      }
      left[task.line()] = own;
      samples.readClock(2 * timed);
      if (cell.seesHandoffs()) {
        samples.tally(HANDOFFS, task.count(), handoffs);
      }
    }

    /** Operations without a clock; the value that each one finds shows who was there before. */
    private void watch(Cell cell, int count) {
      int inside = critical;
      int between = outside;
      Work steps = work;
      long mine = own;
      long others = 0;
      for (int more = count; more > 0; more--) {
        long seen = cell.perform(thread, inside, steps);
        others += seen == mine ? 0 : 1;
        mine = seen + 1;
        if (between > 0) {
          steps.take(between);
        }
      }
      own = mine;
      handoffs += others;
    }

    private void note(long seen) {
      handoffs += seen == own ? 0 : 1;
      own = seen + 1;
      if (outside > 0) {
        work.take(outside);
      }
    }
  }
}
