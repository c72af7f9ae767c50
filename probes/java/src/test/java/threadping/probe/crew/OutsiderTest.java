package threadping.probe.crew;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Requests.MS;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Experiments;
import threadping.probe.Requests;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.toy.Toy;

/** A lead that performs nothing itself: what it has the threads do before it measures. */
@Timeout(60)
class OutsiderTest {
  private static final Experiment TOY = Toy.experiment(Request.Unit.NS);
  private static final int LONG = 50_001;

  private static Request rounds(boolean uninterrupted) {
    Request request = Requests.brief(TOY, null, null);
    Requests.warmUp(request, 3, 2 * LONG - 1, 2_000 * MS);
    request.warmUp.uninterrupted = uninterrupted;
    request.warmUp.lookNs = 5 * MS; // much beside an order
    return request;
  }

  /** Counts the loops as long as a thread's share of a round, and takes its time. */
  private static final class Lengths extends NoWork {
    final AtomicInteger rounds = new AtomicInteger();

    @Override
    public int plain(int thread, int line, int count) {
      rounds.addAndGet(count == LONG ? 1 : 0);
      LockSupport.parkNanos(10L * count);
      return count;
    }
  }

  @Test
  void anUninterruptedRoundIsOneLoopOfEachThread() {
    Lengths lengths = new Lengths();
    Result result = Experiments.run(rounds(true), TOY, lengths);
    assertEquals(3 * 2, lengths.rounds.get());
    assertTrue(result.warmUpOps >= 3 * 2 * LONG);
    assertTrue(result.warmUpComplete);
  }

  @Test
  void otherRoundsAreOfShortLoops() {
    Lengths lengths = new Lengths();
    Result result = Experiments.run(rounds(false), TOY, lengths);
    assertEquals(0, lengths.rounds.get());
    assertTrue(result.warmUpComplete);
  }

  @Test
  void uninterruptedRoundsEndAtTheLimit() {
    Request request = rounds(true);
    Requests.warmUpForEver(request, 10 * MS);
    Result result = Trial.run(request, TOY); // its own operations take their time
    assertFalse(result.cut);
    assertFalse(result.warmUpComplete);
    assertTrue(result.windows.count >= 2);
  }
}
