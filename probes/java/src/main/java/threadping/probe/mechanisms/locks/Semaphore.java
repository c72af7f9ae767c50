package threadping.probe.mechanisms.locks;

/**
 * A Semaphore with one permit in place of a lock; not fair. The write that must be seen is the
 * count; the permit orders it.
 */
final class Semaphore extends Lock {
  private final java.util.concurrent.Semaphore permit = new java.util.concurrent.Semaphore(1);

  @Override
  protected long acquire() {
    permit.acquireUninterruptibly();
    return 0;
  }

  @Override
  protected void release(long stamp) {
    permit.release();
  }
}
