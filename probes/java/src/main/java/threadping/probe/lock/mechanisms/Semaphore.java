package threadping.probe.lock.mechanisms;

import threadping.probe.platform.Fillers;

/**
 * A Semaphore with one permit in place of a lock; not fair. The write that must be seen is the
 * count; the permit orders it.
 */
final class Semaphore extends Locking {
  Semaphore() {
    super(
        "semaphore",
        "java.util.concurrent's Semaphore with one permit around the increment.",
        "A waiting thread sleeps; a compare-and-swap each to take and to give back without"
            + " contention.");
  }

  @Override
  public Cell[] cells(int count, int threads) {
    return inHeap(count, Semaphore::cell);
  }

  private static Cell cell(Fillers fillers) {
    java.util.concurrent.Semaphore permit =
        fillers.apart(() -> new java.util.concurrent.Semaphore(1));
    return fillers.apart(() -> new Locked(permit));
  }

  private static final class Locked extends Guarded {
    private final java.util.concurrent.Semaphore permit;

    Locked(java.util.concurrent.Semaphore permit) {
      this.permit = permit;
    }

    @Override
    long acquire() {
      permit.acquireUninterruptibly();
      return 0;
    }

    @Override
    void release(long stamp) {
      permit.release();
    }
  }
}
