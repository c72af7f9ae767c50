package threadping.probe.crew;

/**
 * How the lead leads the members: one order for all, which it replaces once every member has obeyed
 * it. Made with room around it, and looked at only between loops. It relies on no mechanism's
 * ordering.
 */
final class Orders {
  private volatile Order latest = new Order(0, Order.Kind.REST);

  /** Replaces the latest, and wakes who sleeps. */
  synchronized void give(Order order) {
    latest = order;
    notifyAll();
  }

  /** The last order, at any time: who gives it may not know who is reading an order just now. */
  void leave() {
    give(new Order(Long.MAX_VALUE, Order.Kind.LEAVE));
  }

  Order latest() {
    return latest;
  }

  /** Sleeps until there is another order than this one. */
  synchronized void sleep(Order obeyed) throws InterruptedException {
    while (latest == obeyed) {
      wait();
    }
  }
}
