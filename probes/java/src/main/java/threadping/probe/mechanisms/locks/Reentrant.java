package threadping.probe.mechanisms.locks;

import java.util.concurrent.locks.ReentrantLock;

/**
 * The published explicit lock: ReentrantLock around the increment. Not fair: who comes by may take
 * the lock before those who sleep for it. Fair: whoever has waited longest gets it, and under
 * contention every hand-over wakes a sleeper.
 *
 * <p>The write that must be seen is the count; the lock's own state orders it.
 */
final class Reentrant extends Lock {
  private final ReentrantLock lock;

  Reentrant(ReentrantLock lock) {
    this.lock = lock;
  }

  @Override
  protected long acquire() {
    lock.lock();
    return 0;
  }

  @Override
  protected void release(long stamp) {
    lock.unlock();
  }
}
