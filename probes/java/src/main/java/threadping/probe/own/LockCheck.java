package threadping.probe.own;

import static threadping.probe.Failure.Code.COUNT_WRONG;

import threadping.Lock;

/** Whether a lock keeps others out, shows what its holder wrote, and is given back. */
final class LockCheck {
  private static final int THREADS = 3;

  /** One holder in this number lets others run. */
  private static final int HELD_LONGER = 16;

  private final Class<?> type;
  private final Lock lock;
  private final Crew crew;
  private final long[] acquired = new long[THREADS];
  private volatile int holder = -1;

  /** In no order but the lock's. */
  private long count;

  LockCheck(OwnMechanism own, long patienceNs) {
    this.type = own.type();
    this.lock = own.makeLock();
    this.crew = new Crew(type, patienceNs);
  }

  String check() {
    for (int each = 0; each < THREADS; each++) {
      int thread = each;
      crew.start(() -> acquire(thread));
    }
    if (!crew.end()) {
      int waiting = 0;
      while (waiting < THREADS - 1 && crew.standsIn(waiting) == null) {
        waiting++;
      }
      throw crew.hangs(crew.standsIn(waiting), "a release was lost, or it deadlocks");
    }
    long all = 0;
    for (long each : acquired) {
      all += each;
    }
    if (count != all) {
      throw COUNT_WRONG.failure(
          "%s: of %,d increments inside it %,d were lost: what its holder wrote was not seen.",
          type.getName(), all, all - count);
    }
    return String.format(
        "%s: %d threads held it %,d times, never two at once.", type.getName(), THREADS, all);
  }

  private void acquire(int thread) {
    for (long done = 0; crew.isToGoOn(done, Crew.MANY); done++) {
      long stamp = lock.acquire();
      refuseOther(-1);
      holder = thread;
      count++;
      acquired[thread]++;
      if (done % HELD_LONGER == 0) {
        Thread.yield();
      }
      refuseOther(thread);
      holder = -1;
      lock.release(stamp);
      crew.move();
    }
  }

  private void refuseOther(int expected) {
    if (holder != expected) {
      throw COUNT_WRONG.failure("%s let two threads in at once.", type.getName());
    }
  }
}
