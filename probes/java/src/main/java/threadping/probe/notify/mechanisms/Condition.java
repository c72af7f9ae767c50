package threadping.probe.notify.mechanisms;

import java.util.concurrent.locks.ReentrantLock;
import threadping.probe.notify.Bell;

/**
 * A ReentrantLock and its Condition, signalled while the lock is held.
 *
 * <p>The write that must be seen is the news; the lock orders it. {@code signal} wakes nobody yet:
 * the waiter is moved to those who want the lock, and is unparked at the release.
 */
final class Condition implements Bell {
  private final ReentrantLock lock = new ReentrantLock();
  private final java.util.concurrent.locks.Condition told = lock.newCondition();

  /** Guarded by the lock. */
  private long latest;

  @Override
  public void tell(long news) {
    lock.lock();
    try {
      latest = news;
      told.signal();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long await(long known) throws InterruptedException {
    lock.lock();
    try {
      while (latest <= known) {
        told.await();
      }
      return latest;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void stop() {
    tell(STOPPED);
  }
}
