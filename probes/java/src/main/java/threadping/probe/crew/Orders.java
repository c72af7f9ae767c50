package threadping.probe.crew;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How the lead leads the members: one order for all, which it replaces once every member has obeyed
 * it. Made with room around it, and looked at only between loops. It relies on no mechanism's
 * ordering.
 *
 * <p>A member may sleep here. Not in a monitor: a virtual thread that waits in one keeps its
 * carrier (until Java 24), and there are fewer carriers than members.
 */
final class Orders {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition given = lock.newCondition();
  private volatile Order latest = new Order(0, Order.Kind.REST);

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
    give(new Order(Long.MAX_VALUE, Order.Kind.LEAVE));
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
