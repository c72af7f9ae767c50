package threadping.probe.signal.mechanisms;

import java.util.concurrent.locks.ReentrantLock;
import threadping.probe.signal.Cells;

/**
 * The published locked signalling ("Locks &amp; Condition Variables - Latency Impact", 2011): one
 * ReentrantLock, two Conditions. A side takes the lock and awaits until the other's value has come;
 * it takes the lock again, sets its own value and signals the other's condition while it still
 * holds the lock.
 *
 * <p>The write that must be seen is the value; the lock orders it. Whether a hand-over sleeps or
 * not is the scheduler's choice: what is measured is mostly the wake-up of an idle CPU.
 */
final class Condition implements Mailbox {
  private final ReentrantLock lock;
  private final java.util.concurrent.locks.Condition changed;

  /** Guarded by the lock. */
  private long value;

  Condition(ReentrantLock lock) {
    this.lock = lock;
    this.changed = lock.newCondition();
  }

  @Override
  public void send(long handOvers) {
    lock.lock();
    try {
      value = handOvers;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long receive(long expected) throws InterruptedException {
    lock.lock();
    try {
      while (value < expected) {
        changed.await();
      }
      return value;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void stop() {
    lock.lock();
    try {
      value = Cells.POISON;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
