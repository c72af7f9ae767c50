package threadping.probe.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import threadping.probe.platform.Places;

class MessageTest {
  private static final int LAST_PRODUCER = 4094;

  @Test
  void anIdSaysWhoseItIsAndWhichOne() {
    long id = Message.first(LAST_PRODUCER) + 7 * Message.STEP;
    assertEquals(LAST_PRODUCER, Message.producer(id));
    assertEquals(7, Message.number(id));
    assertEquals(7, Message.number(id | Message.STAMPED));
    assertFalse(Message.isEnd(id));
    assertTrue(id > 0);
  }

  @Test
  void theLastNumberOfAllIsTheEnd() {
    long end = Message.end(LAST_PRODUCER);
    assertTrue(Message.isEnd(end));
    assertEquals(LAST_PRODUCER, Message.producer(end));
    assertEquals((1L << 47) - 1, Message.number(end));
  }

  /** Also where the lower half of the clock turns over, or its sign does. */
  @Test
  void aStampIsReadAsItWasWritten() {
    Message message = new Message();
    for (long sent : new long[] {5, (1L << 31) - 3, (1L << 32) - 3, (7L << 32) + 12_345}) {
      for (long took : new long[] {0, 1, 1000, 2_000_000_000, 3_000_000_000L}) {
        message.stamp(sent);
        assertEquals(sent, message.stampNs(sent + took));
      }
    }
  }

  @Test
  void ofAClockThatIsAheadNothingIsLeft() {
    Message message = new Message();
    message.stamp(1000);
    assertEquals(900, message.stampNs(900));
  }

  @Test
  void onlyWhatIsStampedIsStampedAnew() {
    Message message = new Message();
    message.stamp(1000);
    message.stampAnew();
    assertEquals(1000, message.stampNs(1000));
    message.id = Message.STAMPED;
    long before = System.nanoTime();
    message.stampAnew();
    assertTrue(message.stampNs(System.nanoTime()) >= before);
  }

  @Test
  void aTornPayloadIsNotWhole() {
    Message message = Message.with(3);
    message.id = 6;
    message.load();
    assertTrue(message.isWhole());
    message.id = 8;
    assertFalse(message.isWhole());
  }

  /** A line of 64 bytes then holds as many as of an event with one long. */
  @Test
  void theStampStandsInTheHeadersGap() {
    assertEquals(12, Places.offset(Message.class, "stamp"));
    assertEquals(16, Places.offset(Message.class, "id"));
  }
}
