package threadping.probe.lock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import threadping.probe.platform.LinePair;

/** One word that the coordinator writes and all workers read; its neighbours are never written. */
final class Orders extends OrderWord {
  private static final int LOOKS_BEFORE_SLEEP = 100;
  private static final VarHandle LATEST;

  static {
    try {
      LATEST = MethodHandles.lookup().findVarHandle(OrderWord.class, "latest", Order.class);
    } catch (ReflectiveOperationException error) {
      throw new ExceptionInInitializerError(error);
    }
  }

  long after0;
  long after1;
  long after2;
  long after3;
  long after4;
  long after5;
  long after6;
  long after7;
  long after8;
  long after9;
  long after10;
  long after11;
  long after12;
  long after13;
  long after14;
  long after15;

  /** The release publishes what the order holds. */
  synchronized void give(Order order) {
    LATEST.setRelease(this, order);
    notifyAll();
  }

  Order latest() {
    return (Order) LATEST.getAcquire(this);
  }

  /**
   * Waits for another order than this one. Sleeps when there is none for a while, so that a CPU is
   * free for the compiler, or for whoever has not done yet.
   */
  void awaitOther(Order order) throws InterruptedException {
    for (int looks = 0; looks < LOOKS_BEFORE_SLEEP; looks++) {
      if (latest() != order) {
        return;
      }
      Thread.yield();
    }
    synchronized (this) {
      while (latest() == order) {
        wait();
      }
    }
  }
}

/** The word, with room before it. */
abstract class OrderWord extends LinePair {
  Order latest = Order.to(0, Order.Kind.HOLD);
}
