package threadping.probe.engine;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import threadping.probe.platform.LinePair;

/**
 * How the lead leads the workers: one order for all, which it replaces once every worker has obeyed
 * it. It is looked at only between loops. It relies on no mechanism's ordering.
 *
 * <p>A worker may sleep here. Not in a monitor: a virtual thread that waits in one keeps its
 * carrier (until Java 24), and there are fewer carriers than workers.
 */
final class Orders extends LinePair {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition given = lock.newCondition();
  private volatile Order latest = new Order(0, Order.Kind.WORK, 0, Task.NONE);

  /** Replaces the latest, and wakes who sleeps. */
  void give(Order order) {
    lock.lock();
    try {
      latest = order;
      given.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The last order, at any time: who gives it may not know who is reading an order just now. */
  void leave() {
    give(new Order(Long.MAX_VALUE, Order.Kind.LEAVE, 0, Task.NONE));
  }

  Order latest() {
    return latest;
  }

  /** Sleeps until there is another order than this one. */
  void sleep(Order obeyed) throws InterruptedException {
    lock.lock();
    try {
      while (latest == obeyed) {
        given.await();
      }
    } finally {
      lock.unlock();
    }
  }
}
