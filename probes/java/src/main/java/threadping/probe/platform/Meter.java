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
  /** Workers of the first ForkJoinPool that numbers itself, and this process has no other. */
  private static final String CARRIERS = "ForkJoinPool-1-";

  private final boolean virtual;
  private final boolean first;
  private final ThreadCounters before = new ThreadCounters();
  private ThreadCounters after = new ThreadCounters();
  private Map<Integer, ThreadCounters> carriers = Map.of();

  /** Of the thread of this number. */
  public Meter(boolean virtual, int thread) {
    this.virtual = virtual;
    this.first = thread == 0;
  }

  /** Whether the kernel does not know of the thread. */
  public boolean isOfVirtual() {
    return virtual;
  }

  /** Reads what takes long. */
  public void prepare() {
    if (!virtual) {
      before.migrations = Task.CALLING.migrations();
    }
  }

  /** Reads the rest: what follows is counted. */
  public void begin() {
    if (!virtual) {
      before.readQuick();
    } else if (first) {
      carriers = carriers();
    }
  }

  /** Reads it again: what follows is not. */
  public void end() {
    if (!virtual) {
      after = new ThreadCounters();
      after.readQuick();
    } else if (first) {
      after = sinceThen();
    }
  }

  /** Reads what takes long again, and tells what was counted. */
  public ThreadCounters finish() {
    if (!virtual) {
      after.migrations = Task.CALLING.migrations();
      after.add(before, -1);
    }
    return after;
  }

  /** A carrier that began since counts in full; one that has ended does not. */
  private ThreadCounters sinceThen() {
    ThreadCounters all = new ThreadCounters();
    carriers()
        .forEach(
            (id, now) -> {
              all.add(now, 1);
              all.add(carriers.getOrDefault(id, new ThreadCounters()), -1);
            });
    return all;
  }

  private static Map<Integer, ThreadCounters> carriers() {
    Map<Integer, ThreadCounters> carriers = new HashMap<>();
    for (Task task : Task.named(CARRIERS)) {
      ThreadCounters counters = task.counters();
      if (counters != null) {
        carriers.put(task.id, counters);
      }
    }
    return carriers;
  }
}
