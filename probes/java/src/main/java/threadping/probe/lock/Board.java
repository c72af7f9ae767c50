package threadping.probe.lock;

import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;

/**
 * What the workers tell the coordinator: each on lines of its own, which it alone writes. Orders
 * are told by their number; a later one has a larger number.
 */
final class Board {
  private final int threads;
  private final Lines lines;

  Board(int threads) {
    this.threads = threads;
    this.lines = new Lines(threads);
  }

  // ---- a worker ----

  /** So many operations it has made in all. */
  void publish(int thread, long made) {
    Words.setOpaque(lines.first(thread), made);
  }

  /** It obeys the order of this number. */
  void obey(int thread, long number) {
    Words.setRelease(obeyed(thread), number);
  }

  /** It has done what that order asks for. */
  void finish(int thread, long number) {
    Words.setRelease(finished(thread), number);
  }

  // ---- the coordinator ----

  /** The operations of each worker so far. */
  long[] made() {
    long[] made = new long[threads];
    for (int thread = 0; thread < threads; thread++) {
      made[thread] = Words.getAcquire(lines.first(thread));
    }
    return made;
  }

  /** Whether every worker obeys the order of this number. */
  boolean isObeyed(long number) {
    for (int thread = 0; thread < threads; thread++) {
      if (Words.getAcquire(obeyed(thread)) < number) {
        return false;
      }
    }
    return true;
  }

  /** Whether every worker has done what that order asks for. */
  boolean isFinished(long number) {
    for (int thread = 0; thread < threads; thread++) {
      if (Words.getAcquire(finished(thread)) < number) {
        return false;
      }
    }
    return true;
  }

  private long obeyed(int thread) {
    return lines.second(thread);
  }

  private long finished(int thread) {
    return lines.second(thread) + Long.BYTES;
  }
}
