package threadping.probe.mechanisms.signals;

import java.util.concurrent.locks.ReentrantLock;
import threadping.probe.platform.Words;

/**
 * A ReentrantLock and its Condition, signalled while the lock is held; a pair has one lock and two
 * Conditions, as the published locked signalling ("Locks &amp; Condition Variables - Latency
 * Impact", 2011).
 *
 * <p>The write that must be seen is the number; the lock orders it. {@code signal} wakes nobody
 * yet: the waiter is moved to those who want the lock, and is unparked at the release. Whether it
 * sleeps is the scheduler's choice: what is measured is mostly the wake-up of an idle CPU.
 */
final class Condition extends SignalInWord {
  private final ReentrantLock lock;
  private final java.util.concurrent.locks.Condition changed;

  /** Null is the first of a pair, or the only one. */
  Condition(long word, Signal first) {
    super(word);
    this.lock = first == null ? new ReentrantLock() : ((Condition) first).lock;
    this.changed = lock.newCondition();
  }

  @Override
  public void publish(long n) {
    lock.lock();
    try {
      Words.setOpaque(word, n);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long await(long n) throws InterruptedException {
    lock.lock();
    try {
      long seen;
      while ((seen = Words.getOpaque(word)) < n) {
        changed.await();
      }
      return seen;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void stop() {
    publish(STOPPED);
  }
}
