package threadping.probe.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OrdersTest {
  private final Orders orders = new Orders();

  @Test
  void mayBeOvertakenByTheLastOne() {
    Order work = new Order(1, Order.Kind.WORK, 9, new Task(7, 1, 0));
    orders.give(work);
    assertSame(work, orders.latest());
    orders.leave();
    assertEquals(Order.Kind.LEAVE, orders.latest().kind());
    assertTrue(orders.latest().number() > work.number());
  }

  @Test
  void wakeAWorkerThatSleeps() throws Exception {
    Order first = orders.latest();
    Thread worker =
        new Thread(
            () -> {
              try {
                orders.sleep(first);
              } catch (InterruptedException impossible) {
                throw new IllegalStateException(impossible);
              }
            });
    worker.start();
    while (worker.getState() != Thread.State.WAITING) {
      Thread.yield();
    }
    orders.give(new Order(1, Order.Kind.WORK, 0, Task.NONE));
    worker.join();
  }
}
