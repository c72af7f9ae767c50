package threadping.probe.crew;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OrdersTest {
  private static final int ORDERS = 200;

  private final Orders orders = new Orders();
  private volatile long obeyed;

  private long awaitAfter(long number) {
    while (orders.number() == number) {
      Thread.yield();
    }
    return orders.number();
  }

  @Test
  void arriveWhole() throws Exception {
    CompletableFuture<Void> member =
        CompletableFuture.runAsync(
            () -> {
              for (int number = 1; number <= ORDERS; number++) {
                assertEquals(number, awaitAfter(number - 1));
                assertEquals(Orders.Kind.SAMPLE, orders.kind(number));
                assertEquals(number, orders.line());
                assertEquals(number + 1, orders.count());
                assertEquals(number + 2, orders.chunk());
                assertEquals(number + 3, orders.timed());
                obeyed = number;
              }
            });
    for (int number = 1; number <= ORDERS; number++) {
      orders.give(number, Orders.Kind.SAMPLE, number, number + 1, number + 2, number + 3);
      while (obeyed < number && !member.isDone()) {
        Thread.yield();
      }
    }
    member.get();
  }

  /** A lead that was stopped tells all to leave while a member may be reading the order before. */
  @Test
  void mayBeOvertakenByTheLastOne() throws Exception {
    orders.give(1, Orders.Kind.WORK, 7, 9, 1, 1);
    orders.leave();
    assertEquals(Orders.Kind.WORK, orders.kind(1));
    assertEquals(7, orders.line());
    assertEquals(Orders.Kind.LEAVE, orders.kind(orders.number()));
  }

  @Test
  void wakeAMemberThatSleeps() throws Exception {
    Thread member =
        new Thread(
            () -> {
              try {
                orders.sleep(0);
              } catch (InterruptedException impossible) {
                throw new IllegalStateException(impossible);
              }
            });
    member.start();
    while (member.getState() != Thread.State.WAITING) {
      Thread.yield();
    }
    orders.give(1, Orders.Kind.REST, 0, 0, 1, 1);
    member.join();
  }
}
