package threadping.probe.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import threadping.probe.crew.Timings;
import threadping.probe.mechanisms.signals.Signal;
import threadping.probe.platform.Fillers;

/** What a waiter makes of calls that come while it waits; both are played by one thread. */
class PairTest {
  private static final int CALLS = 3;

  private final Timings calls = new Timings(CALLS);
  private final Timings wake = new Timings(1);
  private Runnable meanwhile = () -> {};

  /** While the waiter waits, the notifier does its part. */
  private final Pair pair =
      new Pair(
          new Signal() {
            private long latest;

            @Override
            public void publish(long news) {
              latest = news;
            }

            @Override
            public long await(long n) {
              meanwhile.run();
              return latest;
            }

            @Override
            public void stop() {
              latest = STOPPED;
            }

            @Override
            public long published() {
              return latest;
            }
          },
          16,
          new Fillers());

  private void callTimed() {
    for (int call = 0; call < CALLS; call++) {
      pair.call(calls, call);
    }
  }

  @Test
  void ofSeveralCallsTheFirstHasWokenIt() {
    meanwhile = this::callTimed;
    assertTrue(pair.answer(wake, 0));
    assertEquals(calls.fromNs[0], wake.fromNs[0]);
    assertTrue(wake.toNs[0] >= calls.toNs[CALLS - 1]);
    assertEquals(CALLS, pair.taken());
    assertEquals(1, pair.wakes());
  }

  @Test
  void nothingIsTimedIfTheCallThatWokeItWasNot() {
    meanwhile =
        () -> {
          pair.call();
          callTimed();
        };
    assertTrue(pair.answer(wake, 0));
    assertEquals(0, wake.toNs[0]);
    assertEquals(CALLS + 1, pair.taken());
    assertEquals(1, pair.wakes());
  }

  @Test
  void nothingIsTimedIfItHadNotToWait() {
    callTimed();
    assertTrue(pair.answer(wake, 0));
    assertEquals(0, wake.toNs[0]);
    assertEquals(CALLS, pair.taken());
    assertEquals(0, pair.wakes());
  }

  @Test
  void whatCameBeforeTheNotifierLeftIsTakenFirst() {
    meanwhile =
        () -> {
          pair.call();
          pair.notifierLeaves();
        };
    assertTrue(pair.answer());
    assertFalse(pair.answer());
    assertFalse(pair.answer()); // as often as it is asked, until it leaves too
    pair.waiterLeaves();
    assertTrue(pair.answer());
    assertEquals(2, pair.taken());
  }

  @Test
  void aStopIsNoNews() {
    meanwhile = pair::stop;
    assertFalse(pair.answer(wake, 0));
    assertEquals(0, wake.toNs[0]);
    assertTrue(pair.wasStopped());
    assertEquals(0, pair.taken());
  }
}
