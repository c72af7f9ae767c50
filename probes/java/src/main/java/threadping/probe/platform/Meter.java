package threadping.probe.platform;

import java.util.HashMap;
import java.util.Map;

/**
 * Counts, for one measuring thread, what the kernel counts for it, from a beginning to an end. All
 * four steps are that thread's own; what takes long is outside of what is counted, and outside of
 * what others count.
 *
 * <p>The kernel does not know of virtual threads, and which carrier runs which of them changes at
 * any time: what all carriers use together counts for the first thread, and nothing for the others.
 */
public final class Meter {
  /**
   * How the carriers are named: workers of the first ForkJoinPool that numbers itself, and this
   * process has no other. The kernel keeps 15 characters of a name.
   */
  private static final String CARRIER = "ForkJoinPool-1-";

  private final boolean virtual;
  private final boolean first;
  private ThreadCounters before = ThreadCounters.none();
  private ThreadCounters after = ThreadCounters.none();
  private Map<Integer, ThreadCounters> carriers = Map.of();

  /** Of the thread of this number. */
  public Meter(boolean virtual, int thread) {
    this.virtual = virtual;
    this.first = thread == 0;
  }

  /** Reads what takes long. */
  public void prepare() {
    if (!virtual) {
      before = ThreadCounters.none().with(ThreadCounters.migrationsSoFar());
    }
  }

  /** Reads the rest: what follows is counted. */
  public void begin() {
    if (!virtual) {
      before = ThreadCounters.quick().with(before.migrations);
    } else if (first) {
      carriers = readCarriers();
    }
  }

  /** Reads it again: what follows is not. */
  public void end() {
    if (!virtual) {
      after = ThreadCounters.quick();
    } else if (first) {
      after = sinceThen();
    }
  }

  /** Reads what takes long again, and tells what was counted. */
  public ThreadCounters finish() {
    return virtual ? after : after.with(ThreadCounters.migrationsSoFar()).since(before);
  }

  /** A carrier that began since counts in full; one that has ended does not. */
  private ThreadCounters sinceThen() {
    ThreadCounters all = ThreadCounters.none();
    for (Map.Entry<Integer, ThreadCounters> carrier : readCarriers().entrySet()) {
      ThreadCounters start = carriers.getOrDefault(carrier.getKey(), ThreadCounters.none());
      all = all.plus(carrier.getValue().since(start));
    }
    return all;
  }

  private static Map<Integer, ThreadCounters> readCarriers() {
    Map<Integer, ThreadCounters> carriers = new HashMap<>();
    for (Task task : Task.all()) {
      if (CARRIER.equals(task.name())) {
        ThreadCounters counters = ThreadCounters.of(task);
        if (counters != null) {
          carriers.put(task.id, counters);
        }
      }
    }
    return carriers;
  }
}
