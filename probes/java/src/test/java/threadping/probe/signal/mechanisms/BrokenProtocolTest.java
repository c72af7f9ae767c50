package threadping.probe.signal.mechanisms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static threadping.probe.Failures.assertFails;

import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Failure;
import threadping.probe.Params;
import threadping.probe.Requests;
import threadping.probe.platform.Words;
import threadping.probe.signal.Signal;
import threadping.probe.signal.waits.Wait;
import threadping.probe.signal.waits.Waits;

/** Protocols with the mistakes that are easily made in them must not come out with a figure. */
@Timeout(60)
class BrokenProtocolTest {
  private static void run(SignalMechanism mechanism) throws InterruptedException {
    new Signal().run(Requests.bounded(300, "broken", null, null), List.of(mechanism));
  }

  /** Counters whose value is written in halves: once the upper one is that of another write. */
  private static final class Torn extends TwoCounters {
    private static final long WRONG_TURN = 1;

    Torn(int count, Wait wait) {
      super(count, Layout.TWO_LINES, wait);
    }

    @Override
    long look(long theirs) {
      return Words.getAcquire(theirs);
    }

    @Override
    void tell(long own, long before) {
      long upperHalf = before == WRONG_TURN ? 1L << 32 : 0;
      Words.setRelease(own, upperHalf | before + 1);
    }
  }

  @Test
  void aTornSequenceIsBroken() {
    SignalMechanism torn =
        new LockFree("broken", "", "") {
          @Override
          Cells cells(int count, Wait wait) {
            return new Torn(count, wait);
          }
        };
    assertFails(Failure.Code.SEQUENCE_BROKEN, () -> run(torn));
  }

  @Test
  void aCounterThatSomebodyElseWroteTooIsNoticedByTheOtherSide() {
    LockFree mechanism = new AddOneLine();
    TwoCounters counters =
        (TwoCounters) mechanism.cells(1, Waits.of(Params.of(mechanism, Map.of())));
    counters.tell(counters.ping(0), 0);
    assertEquals(0, counters.pingTurn(0, 0));
    assertEquals(3, counters.pongTurn(0, 1)); // ping's counter is 2 where 1 was due
  }

  /** Forgets once to wake a receiver that sleeps. */
  private static final class Forgetful implements Mailbox {
    private static final long WRONG_TURN = 3;

    private volatile long value;
    private volatile Thread receiver;

    @Override
    public void send(long handOvers) {
      if (handOvers == WRONG_TURN) {
        while (receiver == null || receiver.getState() != Thread.State.WAITING) {
          Thread.yield();
        }
        value = handOvers;
      } else {
        value = handOvers;
        LockSupport.unpark(receiver);
      }
    }

    @Override
    public long receive(long expected) {
      receiver = Thread.currentThread();
      long seen;
      while ((seen = value) < expected) {
        LockSupport.park(this);
      }
      return seen;
    }

    @Override
    public void stop() {
      value = Cells.POISON;
      LockSupport.unpark(receiver);
    }
  }

  @Test
  void aLostWakeUpStalls() {
    SignalMechanism forgetful =
        new Blocking("broken", "", "") {
          @Override
          Mailboxes.Pair pair(Params params) {
            return new Mailboxes.Pair(new Forgetful(), new Forgetful());
          }
        };
    assertFails(Failure.Code.STALLED, () -> run(forgetful));
  }
}
