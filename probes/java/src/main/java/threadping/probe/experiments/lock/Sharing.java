package threadping.probe.experiments.lock;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import threadping.probe.Failure;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Held;
import threadping.probe.engine.Mechanism.Setup;
import threadping.probe.engine.Param;
import threadping.probe.engine.Params;
import threadping.probe.engine.Player;
import threadping.probe.engine.Role;
import threadping.probe.engine.Role.NumberInfo;
import threadping.probe.engine.Samples;
import threadping.probe.engine.Stage;
import threadping.probe.engine.Task;
import threadping.probe.mechanisms.locks.Guard;
import threadping.probe.mechanisms.locks.Pair;
import threadping.probe.mechanisms.locks.Visit;
import threadping.probe.platform.LinePair;

/** Readers and writers of one lock: which threads write, and which of their operations. */
final class Sharing implements Stage {
  private static final int ALL = 100;

  /** The number of threads that write, the first ones; all others only read. */
  static final Param WRITERS =
      Param.number("writers", Experiment.MOST_THREADS, 0, Experiment.MOST_THREADS);

  /** Per cent of a writer's operations that write; all others read. */
  static final Param WRITES = Param.number("writes", ALL, 0, ALL);

  private static final List<NumberInfo> WAITS =
      List.of(new NumberInfo("wait-to-read", "ns"), new NumberInfo("wait-to-write", "ns"));

  /** Roles behind the contender: who only reads, who only writes, and who does either. */
  static final List<Role> ROLES =
      List.of(
          new Role("reader", true, WAITS, List.of()),
          new Role("writer", true, WAITS, List.of()),
          new Role("reader-writer", true, WAITS, List.of()));

  private static final int READER = 1;
  private static final int WRITER = 2;
  private static final int EITHER = 3;

  private final long writers;
  private final int percent;
  private final long seed;
  private final int critical;
  private final int outside;
  private final Pair[] pairs;
  private final Sharer[] sharers;

  Sharing(Setup setup, Supplier<Guard> guard, int critical, int outside) {
    writers = setup.params().number(WRITERS.name());
    if (writers > setup.threads() && writers != Experiment.MOST_THREADS) {
      throw Failure.Code.BAD_REQUEST.failure(
          "Of %d threads %d cannot write: ask for more threads, or for fewer writers.",
          setup.threads(), writers);
    }
    percent = (int) setup.params().number(WRITES.name());
    seed = setup.seed();
    this.critical = critical;
    this.outside = outside;
    pairs = new Pair[setup.lines()];
    Arrays.setAll(pairs, line -> new Pair(guard.get()));
    sharers = new Sharer[setup.threads()];
  }

  /** Whether anybody reads. */
  static boolean isAsked(Params params) {
    return params.number(WRITERS.name()) != Experiment.MOST_THREADS
        || params.number(WRITES.name()) != ALL;
  }

  private int percentOf(int thread) {
    return thread < writers ? percent : 0;
  }

  @Override
  public Player player(int thread) {
    sharers[thread] = new Sharer(new Turns(percentOf(thread), seed + thread));
    return sharers[thread];
  }

  @Override
  public int roleOf(int thread) {
    int share = percentOf(thread);
    return share == 0 ? READER : share == ALL ? WRITER : EITHER;
  }

  @Override
  public Map<String, Held> counts(long[] ops) {
    long writes = 0;
    long torn = 0;
    for (Sharer one : sharers) {
      writes += one == null ? 0 : one.writes;
      torn += one == null ? 0 : one.torn;
    }
    long found = Arrays.stream(pairs).mapToLong(Pair::found).sum();
    long reads = Arrays.stream(ops).sum() - writes;
    return Map.of(
        "increments", new Held(writes, found, true),
        "whole reads", new Held(reads, reads - torn, true));
  }

  /** A thread's operations. */
  private final class Sharer extends LinePair implements Player {
    private final Turns turns;
    private final Visit visit = new Visit(critical);
    private int number;
    private long writes;
    private long torn;

    Sharer(Turns turns) {
      this.turns = turns;
    }

    @Override
    public int run(Task task, Samples samples) {
      Pair pair = pairs[task.line()];
      if (task.every() == 0) {
        share(pair, task.count());
      } else {
        sample(pair, task, samples);
      }
      return task.count();
    }

    /** The timed loop of readers and writers. */
    private void share(Pair pair, int count) {
      Turns mine = turns; // locals: a field would be read again after every operation
      Visit inside = visit;
      int between = outside;
      int first = number;
      long wrote = 0;
      long differed = 0;
      for (int done = 0; done < count; done++) {
        if (mine.writes(first + done)) {
          pair.write(inside);
          wrote++;
        } else if (pair.read(inside)) {
          differed++;
        }
        inside.workOutside(between);
      }
      number = first + count;
      writes += wrote;
      torn += differed;
    }

    /** Groups of operations; the one in the middle is timed, so that it is as ordinary as any. */
    private void sample(Pair pair, Task task, Samples samples) {
      int before = task.every() / 2;
      int timed = 0;
      for (int more = task.count(); more > 0; more -= task.every()) {
        share(pair, Math.min(before, more));
        if (more > before) {
          time(pair, samples);
          timed++;
          share(pair, Math.min(task.every(), more) - before - 1);
        }
      }
      samples.readClock(2 * timed);
    }

    private void time(Pair pair, Samples samples) {
      int isWrite = turns.writes(number) ? 1 : 0;
      visit.isTimed = true;
      long wanted = System.nanoTime();
      share(pair, 1);
      visit.isTimed = false;
      samples.add(wanted, visit.enteredNs);
      samples.number(isWrite, visit.enteredNs - wanted);
    }
  }
}
