package threadping.probe.platform;

import java.util.HashMap;
import java.util.Map;

/**
 * What the kernel counts for the threads that carry virtual ones, all together: it does not know of
 * virtual threads, and which carrier runs which of them changes at any time.
 */
final class CarrierMeter implements Meter {
  /**
   * How the carriers are named: workers of the first ForkJoinPool that numbers itself, and this
   * process has no other. The kernel keeps 15 characters of a name.
   */
  private static final String CARRIER = "ForkJoinPool-1-";

  private Map<Integer, ThreadCounters> before = Map.of();
  private boolean started;

  @Override
  public void start() {
    read(); // once for nothing: the first reading loads and compiles much
    before = read();
    started = true;
  }

  /** A carrier that began since counts in full; one that has ended does not. */
  @Override
  public ThreadCounters stop() {
    ThreadCounters all = ThreadCounters.none();
    if (started) {
      for (Map.Entry<Integer, ThreadCounters> carrier : read().entrySet()) {
        ThreadCounters start = before.getOrDefault(carrier.getKey(), ThreadCounters.none());
        all = all.plus(carrier.getValue().since(start));
      }
    }
    return all;
  }

  private static Map<Integer, ThreadCounters> read() {
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
