package threadping.probe.mechanisms.queues;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.lmax.disruptor.dsl.ProducerType;
import org.junit.jupiter.api.Test;

class DisruptorTest {
  private static final int SIZE = 2;

  /** A consumer that was about to read would read what was there a lap before. */
  @Test
  void whatIsRefusedAfterAStopIsNotPublished() throws Exception {
    Shape shape = new Shape(SIZE, 0, 0, 1, 1, 1);
    Queue queue = new Disruptor(shape, "blocking", ProducerType.SINGLE);
    Queue.Taker taker = queue.taker(0);
    Queue.Sender sender = queue.sender(0);
    for (int number = 0; number < SIZE; number++) {
      assertTrue(sender.send(Message.id(0, number), 1));
    }
    assertEquals(SIZE, taker.take(SIZE, (messages, first, end) -> {}));
    queue.stop();
    for (int number = SIZE; number < 4 * SIZE; number++) {
      assertFalse(sender.send(Message.id(0, number), 1));
      assertEquals(0, taker.take(SIZE, (messages, first, end) -> {}));
      assertTrue(taker.foundNone(), number + " looks as if it was published");
    }
  }
}
