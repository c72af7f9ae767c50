package threadping.probe.mechanisms.locks;

import java.util.concurrent.locks.StampedLock;

/**
 * StampedLock's write lock, which knows no owner and cannot be taken twice; the stamp that it gives
 * is handed back. The write that must be seen is the count; the lock's state orders it.
 */
final class Stamped extends Lock {
  private final StampedLock lock = new StampedLock();

  @Override
  protected long acquire() {
    return lock.writeLock();
  }

  @Override
  protected void release(long stamp) {
    lock.unlockWrite(stamp);
  }
}
