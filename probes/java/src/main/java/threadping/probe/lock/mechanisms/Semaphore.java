package threadping.probe.lock.mechanisms;

import threadping.probe.lock.Cell;
import threadping.probe.platform.Fillers;

/**
 * A Semaphore with one permit in place of a lock; not fair. The write that must be seen is the
 * count; the permit orders it.
 */
final class Semaphore extends Guarded {
  private final java.util.concurrent.Semaphore permit;

  private Semaphore(java.util.concurrent.Semaphore permit) {
    this.permit = permit;
  }

  static Cell made(Fillers fillers) {
    java.util.concurrent.Semaphore permit =
        fillers.apart(() -> new java.util.concurrent.Semaphore(1));
    return fillers.apart(() -> new Semaphore(permit));
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
