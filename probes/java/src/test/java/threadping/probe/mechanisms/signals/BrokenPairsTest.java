package threadping.probe.mechanisms.signals;

import static threadping.probe.Failures.assertFails;
import static threadping.probe.Requests.MS;

import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Experiments;
import threadping.probe.Failure;
import threadping.probe.Requests;
import threadping.probe.contract.Request;
import threadping.probe.experiments.signal.SignalStage;
import threadping.probe.platform.Words;
import threadping.probe.waits.Waits;

/** Protocols with the mistakes that are easily made in them must not come out with a figure. */
@Timeout(60)
class BrokenPairsTest {
  private static void assertNoticed(Failure.Code code, Pairs pairs) {
    Request request = Requests.endless(threadping.probe.experiments.signal.Signal.EXPERIMENT);
    request.lines = 1;
    request.boundNs = 500 * MS;
    request.patienceNs = 100 * MS;
    assertFails(
        code,
        () ->
            Experiments.run(
                request,
                threadping.probe.experiments.signal.Signal.EXPERIMENT,
                new SignalStage(pairs, 1)));
  }

  /** Waits for its turn, but tells twice. */
  private static final class TellsTwice extends TwoCounters {
    TellsTwice() {
      super(1, ONE_LINE, Waits.yielding());
    }

    @Override
    long look(long theirs) {
      return Words.getAcquire(theirs);
    }

    @Override
    void count(long own, long before) {
      Words.getAndAdd(own, before == 1 ? 2 : 1);
    }
  }

  @Test
  void aCounterThatWasWrittenTwiceIsNoticedByTheOtherSide() {
    assertNoticed(Failure.Code.SEQUENCE_BROKEN, new TellsTwice());
  }

  /** Forgets once to wake a awaiter that sleeps. */
  private static final class Forgetful implements Signal {
    private static final long WRONG_TURN = 3;

    private volatile long value;
    private volatile Thread awaiter;

    @Override
    public void publish(long n) {
      if (n == WRONG_TURN) {
        while (awaiter == null || awaiter.getState() != Thread.State.WAITING) {
          Thread.yield();
        }
        value = n;
      } else {
        value = n;
        LockSupport.unpark(awaiter);
      }
    }

    @Override
    public long await(long n) {
      awaiter = Thread.currentThread();
      long seen;
      while ((seen = value) < n) {
        LockSupport.park(this);
      }
      return seen;
    }

    @Override
    public void stop() {
      value = STOPPED;
      LockSupport.unpark(awaiter);
    }

    @Override
    public long published() {
      return value;
    }
  }

  @Test
  void aLostWakeUpStalls() {
    assertNoticed(Failure.Code.STALLED, new Pairs.OfSignals(1, (word, first) -> new Forgetful()));
  }
}
