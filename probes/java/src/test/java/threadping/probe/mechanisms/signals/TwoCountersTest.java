package threadping.probe.mechanisms.signals;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import threadping.Signal;
import threadping.probe.platform.Words;
import threadping.probe.waits.Waits;

/** What the published listing does besides taking turns, which is asked of every pair. */
class TwoCountersTest {
  @Test
  void theListingBreaksTheSequenceWhereSomebodyElseHasAdded() throws InterruptedException {
    Pairs pairs = TwoCounters.listed(1, Waits.pausing());
    long ping = pairs.place(Pairs.PING, 0);
    long pong = pairs.place(Pairs.PONG, 0);
    Words.getAndAdd(ping, 1);
    assertEquals(2, pairs.await(pong, 0), "ping has published already");
    pairs.publish(ping, 0);
    long seen = pairs.await(ping, 1);
    assertTrue(seen > 1L << 40 && seen < Signal.STOPPED, "pong saw " + seen);
  }
}
