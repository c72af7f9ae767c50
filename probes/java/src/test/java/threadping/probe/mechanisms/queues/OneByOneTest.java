package threadping.probe.mechanisms.queues;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.jctools.queues.MpmcArrayQueue;
import org.junit.jupiter.api.Test;
import threadping.probe.waits.Waits;

class OneByOneTest {
  /** The next message is written before it is known that the queue is full. */
  @Test
  void noneIsWrittenAgainInAQueueThatRoundsItsSizeUp() throws Exception {
    Shape shape = new Shape(100, 0, 0, 1, 1, 1);
    Queue queue = new OneByOne(new MpmcArrayQueue<>(shape.size()), shape, Waits.yielding());
    Queue.Sender sender = queue.sender(0);
    List<Long> sent = LongStream.range(0, 128).mapToObj(each -> Message.id(0, each)).toList();
    long number = 0;
    while (sender.trySend(Message.id(0, number), 1)) {
      number++;
    }
    assertEquals(sent.size(), number);
    List<Long> came = new ArrayList<>();
    queue.taker(0).take(number, (messages, first, end) -> came.add(messages.id(first)));
    assertEquals(sent, came);
  }
}
