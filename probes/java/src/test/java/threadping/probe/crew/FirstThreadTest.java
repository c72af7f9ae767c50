package threadping.probe.crew;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Requests.HOUR;
import static threadping.probe.Requests.MS;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Experiments;
import threadping.probe.Requests;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.toy.Toy;

/**
 * A first thread that leads, to the last operation: here they are over at once, so that only the
 * request decides.
 */
@Timeout(60)
class FirstThreadTest {
  private static final Experiment TOY = Toy.experiment(Request.Unit.OPS);

  /** Lead-ins, plain and timed operations of the visits that find out how long they may be. */
  private static final int CALIBRATION_OPS = 2 * (4 + (1 + 2 + 4 + 8) + (1 + 1 + 2 + 4));

  /** Of both threads: of one operation in 300 calls of both loops, and of 20 in 1000. */
  private static final int LESSONS_OPS = 2 * 2 * (300 + 1000 * Lead.LESSON_OPS);

  /**
   * A trial without warm-up whose windows are of 8 and 4 operations, found out in visits of 1, 2, 4
   * and 8.
   */
  private static Request smallVisits() {
    Request request = Requests.brief(TOY, null, null);
    request.lines = 1;
    Requests.warmUp(request, 0, 1, HOUR);
    request.warmUp.lookNs = HOUR;
    request.windows.plain = 8;
    request.windows.timed = 4;
    request.measureNs = HOUR;
    request.boundNs = 2 * HOUR;
    return request;
  }

  /**
   * Is stopped in the first thread's loop of this number: from then on no loop completes more than
   * {@code completes}.
   */
  private static final class StopsAt extends NoWork {
    private final int completes;
    private int loopsLeft;

    StopsAt(int loop, int completes) {
      this.loopsLeft = loop;
      this.completes = completes;
    }

    @Override
    public int plain(int thread, int line, int count) {
      return thread == 0 && --loopsLeft <= 0 ? Math.min(count, completes) : count;
    }

    @Override
    public int timed(int thread, int line, long openedNs, Timings timings, int count) {
      return plain(thread, line, super.timed(thread, line, openedNs, timings, count));
    }
  }

  /**
   * The windows' operations of a trial that was stopped in the second visit, and how many durations
   * were censored. A visit is three loops: lead-in, plain and timed; four visits are the warm-up,
   * and one more is complete.
   */
  private static void assertStopped(int inLoop, int completes, long censored, long... ops) {
    Result result = Experiments.run(smallVisits(), TOY, new StopsAt(15 + inLoop, completes));
    assertTrue(result.cut);
    assertEquals(CALIBRATION_OPS, result.warmUpOps);
    assertArrayEquals(ops, Sums.ops(result, 0));
    assertArrayEquals(ops, Sums.ops(result, 1));
    assertEquals(censored, Sums.censored(result));
    assertEquals(4 + (ops.length > 3 ? ops[3] : 0), Sums.samples(result));
  }

  @Test
  void keepsAWindowThatWasStoppedAsFarAsItCame() {
    assertStopped(1, 0, 0, 8, 4);
    assertStopped(2, 0, 0, 8, 4);
    assertStopped(2, 6, 0, 8, 4, 6);
    assertStopped(3, 3, 1, 8, 4, 8, 3);
  }

  @Test
  void measuresNothingWhereItWasStoppedInTheWarmUp() {
    Result result = Experiments.run(smallVisits(), TOY, new StopsAt(12, 3));
    assertTrue(result.cut);
    assertEquals(0, result.measuredOps);
    assertEquals(0, result.windows.count);
    assertEquals(0, Sums.samples(result));
  }

  /** Notes how long the loops of the first thread are. */
  private static final class Lengths extends NoWork {
    final TreeMap<Integer, Integer> seen = new TreeMap<>();

    @Override
    public int plain(int thread, int line, int count) {
      if (thread == 0) {
        seen.merge(count, 1, Integer::sum);
      }
      return count;
    }
  }

  @Test
  void roundsAreManyShortLoopsOrOneUninterrupted() {
    Request request = smallVisits();
    Requests.warmUp(request, 3, 100_001, HOUR);
    request.measureNs = MS;
    Lengths inVisits = new Lengths();
    Result result = Experiments.run(request, TOY, inVisits);
    assertEquals(Lead.LESSON_OPS, inVisits.seen.lastKey());
    long beyond = result.warmUpOps - 300_003;
    assertTrue(beyond >= 0 && beyond < 2 * 2 * 13); // the other may be a visit behind
    assertTrue(result.warmUpComplete);

    request.warmUp.uninterrupted = true;
    Lengths whole = new Lengths();
    result = Experiments.run(request, TOY, whole);
    assertEquals(3, whole.seen.get(50_001)); // the threads share a round's operations
    assertEquals(LESSONS_OPS + CALIBRATION_OPS + 3 * 2 * 50_001, result.warmUpOps);
    assertTrue(result.warmUpComplete);
  }

  @Test
  void aRoundThatNoLoopCanHoldIsSeveral() {
    Request request = smallVisits();
    Requests.warmUp(request, 1, 1_000_000_000_000L, HOUR);
    request.warmUp.uninterrupted = true;
    request.measureNs = MS;
    Lengths lengths = new Lengths();
    Result result = Experiments.run(request, TOY, lengths);
    long ops = 0;
    for (Map.Entry<Integer, Integer> loops : lengths.seen.entrySet()) {
      ops += (long) loops.getKey() * loops.getValue();
    }
    assertTrue(ops >= 500_000_000_000L, ops + " by the first thread");
    assertTrue(lengths.seen.lastKey() <= 1 << 30); // 465 of them and a rest, if nothing disturbs
    assertTrue(result.warmUpComplete);
  }

  @Test
  void uninterruptedRoundsEndAtTheLimit() {
    Request request = smallVisits();
    Requests.warmUpForEver(request, 10 * MS);
    request.warmUp.uninterrupted = true;
    request.measureNs = MS;
    Result result = Trial.run(request, TOY); // its own operations take their time
    assertFalse(result.cut);
    assertFalse(result.warmUpComplete);
    assertTrue(result.windows.count >= 2);
  }
}
