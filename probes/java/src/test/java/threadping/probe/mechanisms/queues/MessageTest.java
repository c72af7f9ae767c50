package threadping.probe.mechanisms.queues;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MessageTest {
  @Test
  void anIdSaysWhoseItIsAndWhichAndWhatIsToBeDoneWithIt() {
    long first = Message.id(4094, 0);
    long third = Message.next(Message.next(first) | Message.STAMPED);
    assertEquals(4094, Message.producer(third));
    assertEquals(2, Message.number(third));
    assertEquals(Message.id(4094, 2), third);
    assertFalse(Message.isEnd(third));
  }

  @Test
  void anEndIsItsProducersAndNoNumberReachesIt() {
    long end = Message.end(4094);
    assertTrue(Message.isEnd(end));
    assertEquals(4094, Message.producer(end));
    assertFalse(Message.isEnd(end - Message.STEP));
  }

  @Test
  void wordsAreWholeUntilOneIsAnothers() {
    Message message = Message.with(3);
    message.id = 42;
    message.load();
    assertTrue(message.isWhole(0));
    message.id = 44;
    assertFalse(message.isWhole(0));
  }
}
