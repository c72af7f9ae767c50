package threadping.probe.lock.mechanisms;

import java.util.concurrent.locks.StampedLock;

/**
 * StampedLock's write lock, which knows no owner and cannot be taken twice; the stamp that it gives
 * is handed back. The write that must be seen is the count; the lock's state orders it.
 */
final class Stamped extends Guarded {
  private final StampedLock lock;

  Stamped(StampedLock lock) {
    this.lock = lock;
  }

  @Override
  long acquire() {
    return lock.writeLock();
  }

  @Override
  void release(long stamp) {
    lock.unlockWrite(stamp);
  }
}
