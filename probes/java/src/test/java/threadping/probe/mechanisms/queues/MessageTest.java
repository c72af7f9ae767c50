package threadping.probe.mechanisms.queues;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MessageTest {
  @Test
  void anIdSaysWhoseItIsAndWhichAndWhetherItIsStamped() {
    long first = Message.first(4094);
    long third = Message.next(Message.next(first) | Message.STAMPED);
    assertEquals(4094, Message.producer(third));
    assertEquals(2, Message.number(third));
    assertEquals(first + 2 * Message.STEP, third);
    assertFalse(Message.isEnd(third));
  }

  @Test
  void anEndIsItsProducersAndNoNumberReachesIt() {
    long end = Message.end(4094);
    assertTrue(Message.isEnd(end));
    assertEquals(4094, Message.producer(end));
    assertFalse(Message.isEnd(Message.first(4095) - 1));
  }

  @Test
  void wordsAreWholeUntilOneIsAnothers() {
    Message message = Message.with(3);
    message.id = 42;
    message.load();
    assertTrue(message.isWhole());
    message.id = 44;
    assertFalse(message.isWhole());
  }
}
